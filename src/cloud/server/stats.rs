//! The numbers of the library as the public one tells them, at `/stats.php`.

use std::fmt::Write;

use super::shared::Gauges;
use crate::cloud::library::Library;

/// Numbers of a library.
pub struct Stats {
    positions: i64,
    scoring: i64,
    expansion: i64,
    /// Seconds until the queues are empty, if workers go on as in the last minute.
    backlog: i64,
    /// Moves that were scored in the last minute.
    scores: i64,
    /// Workers that have asked for work in the last five minutes.
    workers: i64,
    /// Nodes a second in the last minute.
    speed: u64,
    /// Endgame tables, and their bytes. They count plies to mate; there are none of another metric.
    tables: (u64, u64),
}

impl Stats {
    pub fn of(library: &Library, gauges: &Gauges) -> Self {
        let gauge = |wanted: &str| {
            let found = gauges.iter().find(|(name, _)| *name == wanted);
            found.map_or(0, |(_, value)| *value)
        };
        let done = library.last_minute();
        let (scoring, expansion) = (gauge("waiting_to_be_scored"), gauge("waiting_to_be_sieved"));
        let scores = i64::try_from(done.scores).unwrap_or(i64::MAX - 1);
        let workers = i64::try_from(library.count_workers()).unwrap_or(i64::MAX);
        Self {
            positions: gauge("positions"),
            scoring,
            expansion,
            backlog: (scoring + expansion) * 60 / (scores + 1),
            scores,
            workers,
            speed: done.nodes / 60,
            tables: library.count_tables(),
        }
    }

    /// The numbers of the workers, by name.
    pub fn of_workers(&self) -> Gauges {
        vec![
            ("workers", self.workers),
            ("scored_last_minute", self.scores),
            (
                "nodes_per_second",
                i64::try_from(self.speed).unwrap_or(i64::MAX),
            ),
            ("backlog_seconds", self.backlog),
        ]
    }

    pub fn to_json(&self) -> String {
        let Self {
            positions,
            scoring,
            expansion,
            backlog,
            speed,
            tables: (count, size),
            ..
        } = self;
        format!(
            "{{\"status\":\"ok\",\"positions\":{positions},\
             \"queue\":{{\"scoring\":{scoring},\"sieving\":{expansion}}},\
             \"worker\":{{\"backlog\":{backlog},\"speed\":{speed}}},\
             \"egtb\":{{\"count\":{{\"dtc\":0,\"dtm\":{count}}},\"size\":{{\"dtc\":0,\"dtm\":{size}}}}}}}"
        )
    }

    /// A table, in Chinese or English.
    pub fn to_html(&self, is_chinese: bool) -> String {
        let names = match is_chinese {
            true => [
                "局面数量：",
                "学习队列（评估 / 筛选）：",
                "后台计算（剩时 / 速度）：",
                "残局库数量（DTM）：",
                "残局库体积（DTM）：",
            ],
            false => [
                "Positions:",
                "Queue (scoring / sieving):",
                "Workers (backlog / speed):",
                "Endgame tables (DTM):",
                "Size of the tables (DTM):",
            ],
        };
        let minutes = self.backlog / 60;
        let (hours, minutes) = (minutes / 60, minutes % 60);
        let values = [
            self.positions.to_string(),
            format!("{} / {}", self.scoring, self.expansion),
            format!("{hours}:{minutes:02} / {:.3} Mnps", self.speed as f64 / 1e6),
            self.tables.0.to_string(),
            format!("{:.1} MB", self.tables.1 as f64 / (1 << 20) as f64),
        ];
        let mut text = "<table class=\"stats\">".to_owned();
        for (name, value) in names.iter().zip(values) {
            // A string takes whatever is written.
            let _ = write!(
                text,
                "<tr><td>{name}</td><td style=\"text-align: right;\">{value}</td></tr>"
            );
        }
        text + "</table>"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_have_two_forms() {
        let stats = Stats {
            positions: 1_234,
            scoring: 5,
            expansion: 6,
            backlog: 3_720,
            scores: 9,
            workers: 2,
            speed: 1_500_000,
            tables: (65, 3 << 20),
        };
        let json: serde_json::Value = serde_json::from_str(&stats.to_json()).unwrap();
        assert_eq!(json["positions"], 1_234);
        assert_eq!(json["queue"]["sieving"], 6);
        assert_eq!(json["worker"]["backlog"], 3_720);
        assert_eq!(json["egtb"]["size"]["dtm"], 3 << 20);
        let html = stats.to_html(false);
        for value in [
            ">1234<",
            ">5 / 6<",
            ">1:02 / 1.500 Mnps<",
            ">65<",
            ">3.0 MB<",
        ] {
            assert!(html.contains(value), "{value}: {html}");
        }
        assert!(stats.to_html(true).contains("局面数量"));
        let output: Vec<i64> = stats.of_workers().iter().map(|(_, n)| *n).collect();
        assert_eq!(output, [2, 9, 1_500_000, 3_720]);
    }
}
