//! Moves of a cloud library (云库), asked inside the clock.
//!
//! The library is asked before the search that a `go` asks for, for a tenth of the time of the move and two
//! seconds at most. A move that it answers is checked like any suggestion of a client: the library may be
//! wrong or malicious. One question is under way at a time, in a thread of its own; after three failures in a
//! row the library is left alone for five minutes.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use super::plan::usual_time;
use crate::board::{Move, Position};
use crate::cloud::client::{Client, ClientError};
use crate::search::Limits;

/// The longest wait for an answer.
const LONGEST: Duration = Duration::from_secs(2);
/// Its share of the time for the move.
const SHARE: u32 = 10;
/// Failures in a row after which the library is left alone, and for how long.
const FAILURES: u32 = 3;
const PAUSE: Duration = Duration::from_secs(300);
/// Answers that are remembered.
const MOST_REMEMBERED: usize = 4_096;

/// What a library answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CloudAnswer {
    /// The move to look at first, and whether it is the move of an endgame table.
    pub(super) suggestion: Option<(Move, bool)>,
    /// What the user is to be told.
    pub(super) problem: Option<String>,
}

/// An answer that is waited for.
#[derive(Debug)]
pub(super) struct AwaitedMove {
    pub(super) answers: Receiver<CloudAnswer>,
    /// How long it is waited for.
    pub(super) until: Instant,
}

struct Question {
    position: Position,
    /// The moves that are not wanted, as the API writes them.
    ban: String,
    until: Instant,
    answer: Sender<CloudAnswer>,
}

/// The library that is asked.
#[derive(Debug)]
pub(super) struct Cloud(Sender<Question>);

impl Cloud {
    /// Asks the library at an address from now on; the thread ends with this.
    pub(super) fn open(address: &str) -> Result<Self, String> {
        let client = Client::new(address, None, LONGEST).map_err(|error| error.to_string())?;
        let (questions, asked) = unbounded::<Question>();
        let mut asker = Asker {
            client,
            answers: HashMap::new(),
            failures: 0,
            paused: None,
        };
        std::thread::Builder::new()
            .name("cloud client".to_owned())
            .spawn(move || {
                for question in asked {
                    let answer = asker.answer(&question);
                    // Whoever asked may have stopped waiting.
                    let _ = question.answer.send(answer);
                }
            })
            .map_err(|error| error.to_string())?;
        Ok(Self(questions))
    }
}

impl Cloud {
    /// Asks for a move of a position, with the moves that are not wanted, as the API writes them.
    pub(super) fn ask(
        &self,
        position: Position,
        ban: String,
        time: Duration,
    ) -> Option<AwaitedMove> {
        let (answer, answers) = bounded(1);
        let until = Instant::now() + time;
        // A failure is to be told before the wait is over.
        let question_until = until - time / 10;
        // The thread is there as long as this end of the channel is.
        self.0
            .send(Question {
                position,
                ban,
                until: question_until,
                answer,
            })
            .ok()?;
        Some(AwaitedMove { answers, until })
    }
}

/// The thread that asks.
struct Asker {
    client: Client,
    answers: HashMap<(String, String), (Move, bool)>,
    failures: u32,
    paused: Option<Instant>,
}

impl Asker {
    fn answer(&mut self, question: &Question) -> CloudAnswer {
        let name = (
            crate::cloud::fen::write(&question.position),
            question.ban.clone(),
        );
        if let Some(known) = self.answers.get(&name) {
            return CloudAnswer {
                suggestion: Some(*known),
                problem: None,
            };
        }
        let time = question.until.saturating_duration_since(Instant::now());
        if self.paused.is_some_and(|until| Instant::now() < until) || time.is_zero() {
            return CloudAnswer::default();
        }
        match self.ask(question, time) {
            Ok(suggestion) => {
                self.failures = 0;
                if self.answers.len() >= MOST_REMEMBERED {
                    self.answers.clear();
                }
                self.answers.extend(suggestion.map(|found| (name, found)));
                CloudAnswer {
                    suggestion,
                    problem: None,
                }
            }
            Err(error) => {
                self.failures += 1;
                let mut problem = format!("cloud: {error}");
                if self.failures >= FAILURES {
                    self.failures = 0;
                    self.paused = Some(Instant::now() + PAUSE);
                    problem += "; not asked again for five minutes";
                }
                CloudAnswer {
                    suggestion: None,
                    problem: Some(problem),
                }
            }
        }
    }

    fn ask(
        &self,
        question: &Question,
        time: Duration,
    ) -> Result<Option<(Move, bool)>, ClientError> {
        // What is played here is nothing for others to learn.
        let more = [("learn", "0"), ("ban", &*question.ban)];
        let reply = self
            .client
            .ask_within("querybest", &question.position, &more, time)?;
        Ok(read(&reply))
    }
}

/// The move of a reply such as `move:h2e2`, `egtb:h2e2` or `search:h2e2|search:b2e2`.
fn read(reply: &str) -> Option<(Move, bool)> {
    let first = reply.split('|').next().unwrap_or("");
    let (kind, text) = first.split_once(':')?;
    let is_table = match kind {
        "move" | "search" => false,
        "egtb" => true,
        _ => return None,
    };
    Some((text.parse().ok()?, is_table))
}

/// How long the library may be waited for; `None` where no time is given for the move.
pub(super) fn time(limits: &Limits) -> Option<Duration> {
    usual_time(limits).map(|time| (time / SHARE).min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read() {
        let m = |text: &str| text.parse::<Move>().unwrap();
        assert_eq!(read("move:h2e2"), Some((m("h2e2"), false)));
        assert_eq!(read("egtb:h2e2"), Some((m("h2e2"), true)));
        assert_eq!(read("search:b2e2|search:h2e2"), Some((m("b2e2"), false)));
        for none in [
            "",
            "nobestmove",
            "move:",
            "move:h2",
            "eval:12",
            "invalid board",
            "move:炮二平五",
        ] {
            assert_eq!(read(none), None, "{none}");
        }
    }

    #[test]
    fn the_wait_is_a_tenth_of_the_move() {
        let limits = |move_time| Limits {
            move_time: Some(Duration::from_millis(move_time)),
            ..Limits::default()
        };
        assert_eq!(time(&limits(1_000)), Some(Duration::from_millis(100)));
        assert_eq!(time(&limits(60_000)), Some(LONGEST));
        assert_eq!(
            time(&Limits {
                depth: Some(4),
                ..Limits::default()
            }),
            None
        );
    }
}
