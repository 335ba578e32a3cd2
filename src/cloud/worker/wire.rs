//! Work and findings as JSON, between a server and workers on other machines.

use serde::{Deserialize, Serialize};

use super::work::{Findings, FoundScore, Job, Work};
use crate::board::{Move, Position};
use crate::cloud::fen;
use crate::cloud::store::{Priority, TaskKind};
use crate::movegen::is_legal;

/// Where work is asked for.
pub const TAKE: &str = "/worker/take";
/// Where findings go.
pub const HAND_IN: &str = "/worker/hand_in";
/// Where work goes that is not done.
pub const GIVE_BACK: &str = "/worker/give_back";
/// The most positions of a batch.
pub const MOST_JOBS: usize = 16;

/// A question for work.
#[derive(Debug, Serialize, Deserialize)]
pub struct TakeMessage {
    /// `scoring` or `sieving`.
    pub kind: String,
    /// How many positions at most.
    pub count: usize,
}

/// A position to be searched.
#[derive(Debug, Serialize, Deserialize)]
pub struct JobMessage {
    board: String,
    moves: Vec<String>,
    /// 0 to 2.
    priority: u8,
}

/// A batch of work.
#[derive(Debug, Serialize, Deserialize)]
pub struct WorkMessage {
    /// The number of the lease; 0 when there is nothing to do.
    pub lease: i64,
    jobs: Vec<JobMessage>,
}

/// The score of a move.
#[derive(Debug, Serialize, Deserialize)]
pub struct ScoreMessage {
    board: String,
    #[serde(rename = "move")]
    played: String,
    value: i32,
    depth: u8,
}

/// What has been found.
#[derive(Debug, Serialize, Deserialize)]
pub struct FindingsMessage {
    /// The lease that is done.
    pub lease: i64,
    scores: Vec<ScoreMessage>,
    jobs: Vec<JobMessage>,
    #[serde(default)]
    nodes: u64,
}

/// Work that is not done.
#[derive(Debug, Serialize, Deserialize)]
pub struct GiveBackMessage {
    /// The number of the lease that is given back.
    pub lease: i64,
}

/// What the message calls a kind.
pub const fn kind_name(kind: TaskKind) -> &'static str {
    match kind {
        TaskKind::Scoring => "scoring",
        TaskKind::Sieving => "sieving",
    }
}

/// The kind with a name.
pub fn kind(name: &str) -> Option<TaskKind> {
    TaskKind::ALL
        .into_iter()
        .find(|kind| kind_name(*kind) == name)
}

impl From<&Job> for JobMessage {
    fn from(job: &Job) -> Self {
        Self {
            board: fen::write(&job.position),
            moves: job.moves.iter().map(ToString::to_string).collect(),
            priority: job.priority as u8,
        }
    }
}

impl JobMessage {
    fn read(&self) -> Option<Job> {
        let position = fen::parse(&self.board)?;
        let moves = self.moves.iter().map(|text| read_move(&position, text));
        let priority = match self.priority {
            0 => Priority::Background,
            1 => Priority::Asked,
            _ => Priority::Urgent,
        };
        Some(Job {
            moves: moves.collect::<Option<_>>()?,
            position,
            priority,
        })
    }
}

fn read_move(position: &Position, text: &str) -> Option<Move> {
    text.parse().ok().filter(|m| is_legal(position, *m))
}

impl From<&Work> for WorkMessage {
    fn from(work: &Work) -> Self {
        let jobs = work.jobs.iter().map(JobMessage::from).collect();
        Self {
            lease: work.lease,
            jobs,
        }
    }
}

impl WorkMessage {
    /// The work; `None` where a board or a move makes no sense.
    pub fn read(&self, kind: TaskKind) -> Option<Work> {
        let jobs = self
            .jobs
            .iter()
            .map(JobMessage::read)
            .collect::<Option<_>>()?;
        Some(Work {
            lease: self.lease,
            kind,
            jobs,
        })
    }
}

impl FindingsMessage {
    /// The findings as a message.
    pub fn new(lease: i64, findings: &Findings) -> Self {
        let score = |score: &FoundScore| ScoreMessage {
            board: fen::write(&score.position),
            played: score.played.to_string(),
            value: score.value,
            depth: score.depth,
        };
        Self {
            lease,
            scores: findings.scores.iter().map(score).collect(),
            jobs: findings.jobs.iter().map(JobMessage::from).collect(),
            nodes: findings.nodes,
        }
    }

    /// The findings; `None` where a board or a move makes no sense.
    pub fn read(&self) -> Option<Findings> {
        let score = |score: &ScoreMessage| {
            let position = fen::parse(&score.board)?;
            let played = read_move(&position, &score.played)?;
            let (value, depth) = (score.value, score.depth);
            Some(FoundScore {
                position,
                played,
                value,
                depth,
            })
        };
        Some(Findings {
            scores: self.scores.iter().map(score).collect::<Option<_>>()?,
            jobs: self
                .jobs
                .iter()
                .map(JobMessage::read)
                .collect::<Option<_>>()?,
            nodes: self.nodes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(moves: &[&str]) -> Job {
        let moves = moves.iter().map(|m| m.parse().unwrap()).collect();
        Job {
            position: Position::startpos(),
            moves,
            priority: Priority::Urgent,
        }
    }

    #[test]
    fn messages_round_trip() {
        let jobs = vec![job(&["h2e2", "c3c4"]), job(&[])];
        let work = Work {
            lease: 7,
            kind: TaskKind::Sieving,
            jobs: jobs.clone(),
        };
        let text = serde_json::to_string(&WorkMessage::from(&work)).unwrap();
        let message: WorkMessage = serde_json::from_str(&text).unwrap();
        assert_eq!(message.read(TaskKind::Sieving), Some(work));
        let position = Position::startpos();
        let score = FoundScore {
            position,
            played: "b0c2".parse().unwrap(),
            value: -9,
            depth: 11,
        };
        let findings = Findings {
            scores: vec![score],
            jobs,
            nodes: 12_345,
        };
        let text = serde_json::to_string(&FindingsMessage::new(7, &findings)).unwrap();
        let message: FindingsMessage = serde_json::from_str(&text).unwrap();
        assert_eq!((message.lease, message.read()), (7, Some(findings)));
        let bad = text.replace("b0c2", "b0c3");
        let message: FindingsMessage = serde_json::from_str(&bad).unwrap();
        assert_eq!(message.read(), None);
        assert_eq!(kind("scoring"), Some(TaskKind::Scoring));
        assert_eq!(kind("nothing"), None);
    }
}
