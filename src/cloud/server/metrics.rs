//! Counters of the server and statistics of the library, with their text forms.

use std::fmt::Write;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use prometheus::{
    HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts, Registry, TextEncoder,
};
use serde::Serialize;
use serde_json::json;

use crate::cloud::library::Library;
use crate::cloud::store::{StoreError, TaskKind};

/// Actions that are counted by name; all others count as the last one.
const ACTIONS: [&str; 13] = [
    "queryall",
    "query",
    "querybest",
    "querylearn",
    "querysearch",
    "queryscore",
    "querypv",
    "queryrule",
    "rulecheck",
    "queue",
    "store",
    "queryengine",
    "other",
];

/// Upper limits of the buckets of response times, in seconds.
const BUCKETS: [f64; 12] =
    [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5];

/// Names and descriptions of the gauges. The names are those of the JSON of [`Stats`].
const GAUGES: [(&str, &str); 7] = [
    ("positions", "Known positions."),
    ("waiting_to_be_scored", "Waiting tasks that score moves."),
    ("waiting_to_be_sieved", "Waiting tasks that find moves."),
    ("workers", "Workers active in the last five minutes."),
    ("scored_last_minute", "Moves scored in the last full minute."),
    ("nodes_per_second", "Searched nodes per second in the last full minute."),
    ("backlog_seconds", "Estimated time until the queues are empty."),
];

/// Prefix of the names of metrics.
const PREFIX: &str = "chuhe_cloud";

#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    seconds: HistogramVec,
    pub limited: IntCounter,
    pub failed: IntCounter,
    pub connections: IntCounter,
    pub refused: IntCounter,
}

impl Metrics {
    /// # Errors
    /// A name or a label is invalid or repeated.
    pub fn new() -> prometheus::Result<Self> {
        let registry = Registry::new_custom(Some(PREFIX.to_owned()), None)?;
        let counter = |name: &str, help: &str| {
            let counter = IntCounter::new(name, help)?;
            registry.register(Box::new(counter.clone()))?;
            Ok::<_, prometheus::Error>(counter)
        };
        let requests = Opts::new("requests_total", "Answered requests of the cloud API.");
        let requests = IntCounterVec::new(requests, &["action"])?;
        let seconds = "Response times of the cloud API, in seconds.";
        let seconds = HistogramOpts::new("answer_seconds", seconds).buckets(BUCKETS.to_vec());
        let seconds = HistogramVec::new(seconds, &["action"])?;
        // Every action is listed from the start, with the value 0.
        for action in ACTIONS {
            let _ = (requests.with_label_values(&[action]), seconds.with_label_values(&[action]));
        }
        registry.register(Box::new(requests.clone()))?;
        registry.register(Box::new(seconds.clone()))?;
        Ok(Self {
            requests,
            seconds,
            limited: counter("limited_total", "Requests rejected by a rate limit.")?,
            failed: counter(
                "failed_total",
                "Requests and updates of jobs that failed because the library could not be read or written.",
            )?,
            connections: counter("connections_total", "Accepted connections.")?,
            refused: counter(
                "refused_connections_total",
                "Connections closed because their address had too many.",
            )?,
            registry,
        })
    }

    pub fn count(&self, action: Option<&str>, time: Duration) {
        let action = action.filter(|action| ACTIONS.contains(action));
        let action = [action.unwrap_or("other")];
        self.requests.with_label_values(&action).inc();
        self.seconds.with_label_values(&action).observe(time.as_secs_f64());
    }

    /// The counters and the statistics in the text format of Prometheus.
    pub fn to_text(&self, stats: &Stats) -> prometheus::Result<String> {
        let gauges = Registry::new_custom(Some(PREFIX.to_owned()), None)?;
        let values = json!(stats);
        for (name, help) in GAUGES {
            let gauge = IntGauge::new(name, help)?;
            gauge.set(values[name].as_i64().unwrap_or_default());
            gauges.register(Box::new(gauge))?;
        }
        let families = [self.registry.gather(), gauges.gather()].concat();
        TextEncoder::new().encode_to_string(&families)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LibraryCounts {
    positions: i64,
    waiting_to_be_scored: i64,
    /// Waiting expansion tasks; the public library calls expansion sieving.
    waiting_to_be_sieved: i64,
}

#[derive(Debug, Default, Serialize)]
pub struct Stats {
    #[serde(flatten)]
    counts: LibraryCounts,
    /// Workers that asked for tasks in the last five minutes.
    workers: i64,
    scored_last_minute: i64,
    nodes_per_second: i64,
    /// Seconds until the queues are empty at the speed of the last minute.
    backlog_seconds: i64,
}

impl Stats {
    pub fn new(library: &Library, counts: LibraryCounts) -> Self {
        // Less than the maximum, so that `scores + 1` does not overflow.
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX - 1);
        let done = library.throughput.last_minute(Instant::now());
        let scores = number(done.scores);
        let waiting = counts.waiting_to_be_scored + counts.waiting_to_be_sieved;
        Self {
            counts,
            workers: number(library.workers.lock().count() as u64),
            scored_last_minute: scores,
            nodes_per_second: number(done.nodes / 60),
            backlog_seconds: waiting * 60 / (scores + 1),
        }
    }

    /// The statistics as an HTML table, in the form of chessdb.cn. `tables` is the number of tablebases and their size
    /// in bytes.
    pub fn to_html(&self, tables: (u64, u64), is_chinese: bool) -> String {
        let (counts, hours) = (self.counts, self.backlog_seconds / 3600);
        let minutes = self.backlog_seconds / 60 % 60;
        let speed = self.nodes_per_second as f64 / 1e6;
        let queue = [counts.waiting_to_be_scored, counts.waiting_to_be_sieved];
        let size = tables.1 as f64 / (1 << 20) as f64;
        let rows = [
            ("局面数量：", "Positions:", counts.positions.to_string()),
            (
                "学习队列（评估 / 筛选）：",
                "Queue (scoring / sieving):",
                queue.map(|count| count.to_string()).join(" / "),
            ),
            (
                "后台计算（剩时 / 速度）：",
                "Workers (backlog / speed):",
                format!("{hours}:{minutes:02} / {speed:.3} Mnps"),
            ),
            ("残局库数量（DTM）：", "Endgame tablebases (DTM):", tables.0.to_string()),
            ("残局库体积（DTM）：", "Size of the tables (DTM):", format!("{size:.1} MB")),
        ];
        let mut text = "<table class=\"stats\">".to_owned();
        for (chinese, english, value) in rows {
            let name = if is_chinese { chinese } else { english };
            let cell = "<td style=\"text-align: right;\">";
            let _ = write!(text, "<tr><td>{name}</td>{cell}{value}</td></tr>");
        }
        text + "</table>"
    }

    /// The statistics as JSON, in the form of chessdb.cn.
    pub(super) fn to_public_json(&self, tables: (u64, u64)) -> serde_json::Value {
        let counts = self.counts;
        json!({
            "status": "ok",
            "positions": counts.positions,
            "queue": { "scoring": counts.waiting_to_be_scored, "sieving": counts.waiting_to_be_sieved },
            "worker": { "backlog": self.backlog_seconds, "speed": self.nodes_per_second },
            "egtb": { "count": { "dtc": 0, "dtm": tables.0 }, "size": { "dtc": 0, "dtm": tables.1 } },
        })
    }
}

/// The counts of the library, computed again when they are older than [`CACHE_TIME`].
#[derive(Debug, Default)]
pub struct CountCache {
    cached: Mutex<Option<(Instant, LibraryCounts)>>,
    /// Held while one request counts.
    counting: Mutex<()>,
}

const CACHE_TIME: Duration = Duration::from_secs(10);

impl CountCache {
    /// While one request counts, the others get the previous counts, or wait for the first count.
    pub fn get(&self, library: &Library) -> Result<LibraryCounts, StoreError> {
        let fresh = || {
            let cached = *self.cached.lock();
            cached.filter(|(time, _)| time.elapsed() < CACHE_TIME)
        };
        if let Some((_, counts)) = fresh() {
            return Ok(counts);
        }
        let previous = *self.cached.lock();
        let _counting = match (previous, self.counting.try_lock()) {
            (Some((_, counts)), None) => return Ok(counts),
            (None, None) => self.counting.lock(),
            (_, Some(counting)) => counting,
        };
        // Another request may have counted since.
        if let Some((_, counts)) = fresh() {
            return Ok(counts);
        }
        let counts = library.store.read(|snapshot| {
            Ok::<_, StoreError>(LibraryCounts {
                positions: snapshot.positions()?,
                waiting_to_be_scored: snapshot.waiting(TaskKind::Scoring)?,
                waiting_to_be_sieved: snapshot.waiting(TaskKind::Expansion)?,
            })
        })?;
        *self.cached.lock() = Some((Instant::now(), counts));
        Ok(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::library::tests::empty;

    fn stats() -> Stats {
        Stats {
            counts: LibraryCounts {
                positions: 1_234,
                waiting_to_be_scored: 5,
                waiting_to_be_sieved: 6,
            },
            workers: 2,
            scored_last_minute: 9,
            nodes_per_second: 1_500_000,
            backlog_seconds: 3_720,
        }
    }

    #[test]
    fn statistics_have_the_public_forms() {
        let stats = stats();
        let tables = (65, 3 << 20);
        let json = stats.to_public_json(tables);
        assert_eq!(json["positions"], 1_234);
        assert_eq!(json["queue"]["sieving"], 6);
        assert_eq!(json["worker"]["backlog"], 3_720);
        assert_eq!(json["egtb"]["size"]["dtm"], 3 << 20);
        let html = stats.to_html(tables, false);
        for value in [">1234<", ">5 / 6<", ">1:02 / 1.500 Mnps<", ">65<", ">3.0 MB<"] {
            assert!(html.contains(value), "{value}: {html}");
        }
        assert!(stats.to_html(tables, true).contains("局面数量"));
    }

    #[test]
    fn metrics_have_types_descriptions_and_a_histogram() {
        let metrics = Metrics::new().unwrap();
        metrics.count(Some("queryall"), Duration::from_millis(3));
        metrics.count(Some("nonsense"), Duration::from_secs(9));
        let text = metrics.to_text(&stats()).unwrap();
        for line in [
            "# HELP chuhe_cloud_requests_total Answered requests of the cloud API.",
            "# TYPE chuhe_cloud_requests_total counter",
            "chuhe_cloud_requests_total{action=\"queryall\"} 1",
            "chuhe_cloud_requests_total{action=\"other\"} 1",
            "chuhe_cloud_requests_total{action=\"querypv\"} 0",
            "# TYPE chuhe_cloud_answer_seconds histogram",
            "chuhe_cloud_answer_seconds_bucket{action=\"queryall\",le=\"0.0025\"} 0",
            "chuhe_cloud_answer_seconds_bucket{action=\"queryall\",le=\"0.005\"} 1",
            "chuhe_cloud_answer_seconds_bucket{action=\"other\",le=\"2.5\"} 0",
            "chuhe_cloud_answer_seconds_bucket{action=\"other\",le=\"+Inf\"} 1",
            "chuhe_cloud_answer_seconds_sum{action=\"queryall\"} 0.003",
            "# TYPE chuhe_cloud_positions gauge",
            "chuhe_cloud_positions 1234",
            "chuhe_cloud_waiting_to_be_scored 5",
            "chuhe_cloud_waiting_to_be_sieved 6",
            "chuhe_cloud_workers 2",
            "chuhe_cloud_scored_last_minute 9",
            "chuhe_cloud_nodes_per_second 1500000",
            "chuhe_cloud_backlog_seconds 3720",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}: {text}");
        }
        // Every metric has a type and a description.
        let described = |kind: &str| text.matches(kind).count();
        assert_eq!((described("# HELP "), described("# TYPE ")), (13, 13));
    }

    #[test]
    fn one_request_counts_at_a_time() {
        let (_directory, library) = empty();
        let cache = CountCache::default();
        let counted = cache.get(&library).unwrap();
        assert_eq!(counted, LibraryCounts::default());
        let old = stats().counts;
        let long_ago = Instant::now().checked_sub(CACHE_TIME).unwrap();
        *cache.cached.lock() = Some((long_ago, old));
        let counting = cache.counting.lock();
        assert_eq!(cache.get(&library).unwrap(), old);
        drop(counting);
        assert_eq!(cache.get(&library).unwrap(), counted);
        // Fresh counts are returned as they are.
        *cache.cached.lock() = Some((Instant::now(), old));
        assert_eq!(cache.get(&library).unwrap(), old);
    }
}
