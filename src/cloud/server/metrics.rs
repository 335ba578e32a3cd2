//! Counts of what the server does, in the text format of Prometheus.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The actions that are counted by name, and one for all others.
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

/// What is counted.
#[derive(Debug, Default)]
pub struct Metrics {
    requests: [AtomicU64; ACTIONS.len()],
    /// Time spent responding, in microseconds.
    micros: AtomicU64,
    /// Requests turned away for the rate of their address.
    pub limited: AtomicU64,
    /// Requests that the library could not answer.
    pub failed: AtomicU64,
    /// Connections taken, and those refused.
    pub connections: AtomicU64,
    pub refused: AtomicU64,
}

impl Metrics {
    /// Counts a request that was answered.
    pub fn count(&self, action: Option<&str>, time: Duration) {
        let known = ACTIONS.iter().position(|name| action == Some(name));
        let edge = known.unwrap_or(ACTIONS.len() - 1);
        self.requests[edge].fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// The counts as text, with numbers of the library.
    pub fn to_text(&self, gauges: &[(&str, i64)]) -> String {
        let mut text = String::new();
        for (action, count) in ACTIONS.iter().zip(&self.requests) {
            let count = count.load(Ordering::Relaxed);
            // A string takes whatever is written.
            let _ = writeln!(
                text,
                "chuhe_cloud_requests_total{{action=\"{action}\"}} {count}"
            );
        }
        let seconds = Duration::from_micros(self.micros.load(Ordering::Relaxed)).as_secs_f64();
        let _ = writeln!(text, "chuhe_cloud_answer_seconds_total {seconds}");
        for (name, count) in [
            ("limited", &self.limited),
            ("failed", &self.failed),
            ("connections", &self.connections),
            ("refused_connections", &self.refused),
        ] {
            let count = count.load(Ordering::Relaxed);
            let _ = writeln!(text, "chuhe_cloud_{name}_total {count}");
        }
        for (name, value) in gauges {
            let _ = writeln!(text, "chuhe_cloud_{name} {value}");
        }
        text
    }
}
