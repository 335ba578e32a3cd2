//! Moves of a cloud library (云库), asked inside the clock.
//!
//! The library is asked before the search that a `go` asks for, for a tenth of the time of the move and
//! two seconds at most. A move that it answers is checked like any suggestion of a client: the library
//! may be wrong or malicious. Where the library has no move that is good enough, it is asked for its
//! line while the engine searches, which looks at that line first. One question is under way at a time,
//! in a thread of its own; after three failures in a row the library is left alone for five minutes.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use super::plan::usual_time;
use crate::board::{Move, Position};
use crate::cloud::client::{Client, ClientError};
use crate::search::{Limits, USUAL_STACK, start_thread};

/// The longest wait for an answer.
const LONGEST: Duration = Duration::from_secs(2);
/// Its share of the time for the move.
const SHARE: u32 = 10;
/// Failures in a row after which the library is left alone, and for how long.
const FAILURES: u32 = 3;
const PAUSE: Duration = Duration::from_secs(300);
/// Moves of a line that are looked at.
const LONGEST_LINE: usize = 100;
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
    /// Where a line may arrive later on.
    pub(super) lines: Receiver<Vec<Move>>,
    /// When waiting for it ends.
    pub(super) until: Instant,
}

struct CloudQuestion {
    position: Position,
    /// The moves that are not wanted, as the API writes them.
    ban: String,
    until: Instant,
    answer: Sender<CloudAnswer>,
    line: Sender<Vec<Move>>,
    /// How long a line may take.
    line_time: Duration,
}

/// Why no library can be asked.
#[derive(Debug, thiserror::Error)]
pub(super) enum CloudError {
    /// The address is none that can be asked.
    #[error(transparent)]
    Address(#[from] ClientError),
    /// The system starts no thread.
    #[error(transparent)]
    Thread(#[from] std::io::Error),
}

/// The library that is asked.
#[derive(Debug)]
pub(super) struct Cloud(Sender<CloudQuestion>);

impl Cloud {
    /// Asks the library at an address from now on; the thread ends with this.
    ///
    /// # Errors
    /// The address is none that can be asked, or the system starts no thread.
    pub(super) fn open(address: &str) -> Result<Self, CloudError> {
        let client = Client::new(address, None, LONGEST)?;
        let (questions, asked) = unbounded::<CloudQuestion>();
        let mut asker = CloudClient {
            client,
            answers: HashMap::new(),
            failures: 0,
            is_refused: false,
            paused: None,
        };
        start_thread("cloud client", USUAL_STACK, move || {
            for question in asked {
                let (answer, wants_line) = asker.answer(&question);
                // The session may have stopped waiting.
                let _ = question.answer.send(answer);
                if wants_line {
                    let _ = question.line.send(asker.line(&question));
                }
            }
        })?;
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
        let (line, lines) = bounded(1);
        let until = Instant::now() + time;
        // A failure is to be told before the wait is over.
        let question_until = until - time / 10;
        // The thread is there as long as this end of the channel is.
        self.0
            .send(CloudQuestion {
                position,
                ban,
                until: question_until,
                answer,
                line,
                line_time: time.saturating_mul(SHARE).min(LONGEST),
            })
            .ok()?;
        Some(AwaitedMove {
            answers,
            lines,
            until,
        })
    }
}

/// The thread that asks.
struct CloudClient {
    client: Client,
    answers: HashMap<(String, String), (Move, bool)>,
    failures: u32,
    /// Whether the library has refused the last question, which the user was told then.
    is_refused: bool,
    paused: Option<Instant>,
}

/// A reply to `querybest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BestReply {
    /// A move, and whether it is that of an endgame table.
    Move(Move, bool),
    /// What is known is not good enough to be played unseen.
    NoBestMove,
    /// Nothing that can be used.
    Nothing,
}

impl CloudClient {
    /// The answer to a question, and whether the line of the library is to be asked for.
    fn answer(&mut self, question: &CloudQuestion) -> (CloudAnswer, bool) {
        let name = (
            crate::cloud::fen::write(&question.position),
            question.ban.clone(),
        );
        let found = |suggestion| CloudAnswer {
            suggestion,
            problem: None,
        };
        if let Some(known) = self.answers.get(&name) {
            return (found(Some(*known)), false);
        }
        let time = question.until.saturating_duration_since(Instant::now());
        if self.paused.is_some_and(|until| Instant::now() < until) || time.is_zero() {
            return (CloudAnswer::default(), false);
        }
        let more = [("learn", "0"), ("ban", &*question.ban)];
        let reply = self.ask("querybest", question, &more, time);
        match reply.map(|reply| read(&reply)) {
            Ok(BestReply::Move(played, is_table)) => {
                if self.answers.len() >= MOST_REMEMBERED {
                    self.answers.clear();
                }
                self.answers.insert(name, (played, is_table));
                (found(Some((played, is_table))), false)
            }
            Ok(BestReply::NoBestMove) => (found(None), true),
            Ok(BestReply::Nothing) => (found(None), false),
            Err(problem) => {
                let suggestion = None;
                (
                    CloudAnswer {
                        suggestion,
                        problem,
                    },
                    false,
                )
            }
        }
    }

    /// The line that the library has; an empty one if it has none.
    fn line(&mut self, question: &CloudQuestion) -> Vec<Move> {
        let more = [("learn", "0"), ("stable", "1"), ("ban", &*question.ban)];
        let reply = self.ask("querypv", question, &more, question.line_time);
        // The last failure was reported to the user; one in the background is only counted.
        reply.map_or_else(|_| Vec::new(), |reply| read_line(&reply))
    }

    /// Asks the library, and counts failures. What is played here is nothing for others to learn.
    ///
    /// # Errors
    /// What the user is to be told; nothing where a refusal was told already, for the next one is no news.
    fn ask(
        &mut self,
        action: &str,
        question: &CloudQuestion,
        more: &[(&str, &str)],
        time: Duration,
    ) -> Result<String, Option<String>> {
        let reply = self
            .client
            .ask_within(action, &question.position, more, time);
        let error = match reply {
            Ok(reply) => {
                self.failures = 0;
                self.is_refused = false;
                return Ok(reply);
            }
            Err(error) => error,
        };
        self.failures += 1;
        let mut problem = format!("cloud: {error}");
        if self.failures >= FAILURES {
            self.failures = 0;
            self.paused = Some(Instant::now() + PAUSE);
            problem += "; not asked again for five minutes";
        }
        let was_refused = self.is_refused;
        self.is_refused = matches!(error, ClientError::Refused);
        Err((!was_refused || !self.is_refused).then_some(problem))
    }
}

/// Reads a reply such as `move:h2e2`, `egtb:h2e2` or `search:h2e2|search:b2e2`.
fn read(reply: &str) -> BestReply {
    if reply == "nobestmove" {
        return BestReply::NoBestMove;
    }
    let first = reply.split('|').next().unwrap_or("");
    let (kind, text) = first.split_once(':').unwrap_or_default();
    match (kind, text.parse()) {
        ("move" | "search", Ok(played)) => BestReply::Move(played, false),
        ("egtb", Ok(played)) => BestReply::Move(played, true),
        _ => BestReply::Nothing,
    }
}

/// Reads the moves of a reply such as `score:23,depth:2,pv:b2e2|h9g7`, up to the first that is none.
fn read_line(reply: &str) -> Vec<Move> {
    let pv = reply.split(',').find_map(|field| field.strip_prefix("pv:"));
    let moves = pv.unwrap_or("").split('|').map_while(|m| m.parse().ok());
    moves.take(LONGEST_LINE).collect()
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
        let played = |text: &str| BestReply::Move(m(text), false);
        assert_eq!(read("move:h2e2"), played("h2e2"));
        assert_eq!(read("egtb:h2e2"), BestReply::Move(m("h2e2"), true));
        assert_eq!(read("search:b2e2|search:h2e2"), played("b2e2"));
        assert_eq!(read("nobestmove"), BestReply::NoBestMove);
        for none in [
            "",
            "move:",
            "move:h2",
            "eval:12",
            "invalid board",
            "move:炮二平五",
        ] {
            assert_eq!(read(none), BestReply::Nothing, "{none}");
        }
    }

    #[test]
    fn lines_are_read_as_far_as_they_are_moves() {
        let line = |text: &str| {
            let moves = read_line(text);
            moves.iter().map(|m| format!("{m} ")).collect::<String>()
        };
        assert_eq!(line("score:23,depth:2,pv:b2e2|h9g7"), "b2e2 h9g7 ");
        assert_eq!(line("score:23,depth:2,pv:b2e2|x|h9g7"), "b2e2 ");
        assert_eq!(line("score:-99999999999999,pv:b2e2,depth:x"), "b2e2 ");
        for none in ["", "unknown", "pv", "score:1,depth:0,pv:", "xpv:b2e2"] {
            assert_eq!(line(none), "", "{none}");
        }
        let long = format!("pv:{}", vec!["b2e2"; 2_000].join("|"));
        assert_eq!(read_line(&long).len(), LONGEST_LINE);
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
