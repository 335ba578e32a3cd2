//! Moves from a cloud library (云库), requested within the time for the move.
//!
//! The library is asked before the search starts. The engine waits for at most a tenth of the time for the move, and
//! never more than two seconds. The move of the library is checked like a suggestion of the client: the library may be
//! wrong or malicious. If the library knows the position but has no move that is good enough, it is asked for its line
//! while the engine searches; the search tries that line first. A thread sends one request at a time. After three
//! failures in a row it sends none for five minutes.

use std::collections::HashMap;
use std::error::Error;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use super::stage::estimated_time;
use crate::board::{Move, Position};
use crate::cloud::client::{Client, ClientError};
use crate::movegen::legal_moves;
use crate::search::{Limits, SearchRequest, USUAL_STACK, start_thread};

/// The longest wait for an answer.
const LONGEST_WAIT: Duration = Duration::from_secs(2);
/// The time for the move divided by the time to wait for an answer.
const WAIT_DIVISOR: u32 = 10;
const FAILURES_BEFORE_PAUSE: u32 = 3;
const PAUSE: Duration = Duration::from_secs(300);
/// The longest line that is used, in plies.
const LONGEST_LINE: usize = 100;
/// The number of cached suggestions at which the cache is cleared.
const MAX_CACHED: usize = 4_096;

/// The reason why the library gives no move, as a message for the user.
#[derive(Debug, thiserror::Error)]
enum CloudProblem {
    #[error("cloud: {0}")]
    Failed(ClientError),
    #[error("cloud: {0}; not asked again for five minutes")]
    Paused(ClientError),
    #[error("cloud: the address does not reply like a cloud library")]
    NoLibrary,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CloudAnswer {
    /// The move to check first, and whether it is the move of an endgame tablebase.
    pub suggestion: Option<(Move, bool)>,
    pub problem: Option<String>,
}

/// The results of a request that are still to arrive.
#[derive(Debug)]
pub struct AwaitedMove {
    pub answers: Receiver<CloudAnswer>,
    /// Receives the line of the library, if the thread asks for it after the answer.
    pub lines: Receiver<Vec<Move>>,
    /// The end of the wait for the answer.
    pub until: Instant,
}

struct CloudRequest {
    position: Position,
    /// The moves that the library must not suggest, in the syntax of the API.
    ban: String,
    /// The deadline for the answer, before [`AwaitedMove::until`].
    until: Instant,
    answer: Sender<CloudAnswer>,
    line: Sender<Vec<Move>>,
    /// The longest wait for a line.
    line_time: Duration,
}

/// The thread that asks a cloud library.
#[derive(Debug)]
pub struct Cloud(Sender<CloudRequest>);

impl Cloud {
    /// Starts a thread that asks the library at an address. The thread ends when the returned value is dropped.
    ///
    /// # Errors
    /// The address is invalid, or the thread cannot be started.
    pub fn open(address: &str) -> Result<Self, Box<dyn Error>> {
        let client = Client::new(address, None)?;
        let (sender, requests) = unbounded::<CloudRequest>();
        let mut thread = CloudThread {
            client,
            cache: HashMap::new(),
            failures: 0,
            is_refused: false,
            is_invalid: false,
            paused_until: None,
        };
        start_thread("cloud client", USUAL_STACK, move || {
            for request in requests {
                let (answer, wants_line) = thread.answer(&request);
                // The session may have stopped waiting.
                let _ = request.answer.send(answer);
                if wants_line {
                    let _ = request.line.send(thread.line(&request));
                }
            }
        })?;
        Ok(Self(sender))
    }

    /// Asks for a move; `None` if the limits contain neither a clock nor a time for the move, or if the thread has
    /// ended.
    pub fn ask(&self, request: &SearchRequest) -> Option<AwaitedMove> {
        let time = wait_time(&request.limits)?;
        let ban = banned_moves(request);
        let (answer, answers) = bounded(1);
        let (line, lines) = bounded(1);
        let until = Instant::now() + time;
        let request = CloudRequest {
            position: request.game.position().clone(),
            ban,
            // The thread reports a timeout before the session stops waiting.
            until: until - time / 10,
            answer,
            line,
            line_time: time.saturating_mul(WAIT_DIVISOR).min(LONGEST_WAIT),
        };
        // Fails only if the thread has ended.
        self.0.send(request).ok()?;
        Some(AwaitedMove { answers, lines, until })
    }
}

struct CloudThread {
    client: Client,
    /// Suggestions by FEN and banned moves.
    cache: HashMap<(String, String), (Move, bool)>,
    /// Failures in a row since the last pause.
    failures: u32,
    /// Whether the library refused the last request; this is reported once.
    is_refused: bool,
    /// Whether the last request got a reply that is not one of the cloud API; this is reported once.
    is_invalid: bool,
    /// The end of the last pause.
    paused_until: Option<Instant>,
}

/// A reply to `querybest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BestReply {
    /// A move, and whether it is the move of an endgame tablebase.
    Move(Move, bool),
    /// The library knows the position, but has no move that is good enough.
    NoBestMove,
    /// A reply of the API without a move, such as `unknown`.
    Other,
    /// A reply that the API does not have, for example a web page.
    Invalid,
}

impl CloudThread {
    /// Returns the answer to a request, and whether to ask for the line of the library.
    fn answer(&mut self, request: &CloudRequest) -> (CloudAnswer, bool) {
        let key = (crate::cloud::fen::write(&request.position), request.ban.clone());
        let mut answer = CloudAnswer { suggestion: self.cache.get(&key).copied(), problem: None };
        let time = request.until.saturating_duration_since(Instant::now());
        let is_paused = self.paused_until.is_some_and(|until| Instant::now() < until);
        if answer.suggestion.is_some() || is_paused || time.is_zero() {
            return (answer, false);
        }
        let parameters = [("learn", "0"), ("ban", &*request.ban)];
        let reply = self.ask("querybest", request, &parameters, time);
        let reply = reply.map(|reply| parse_best(&reply));
        self.is_invalid &= reply == Ok(BestReply::Invalid);
        let wants_line = reply == Ok(BestReply::NoBestMove);
        match reply {
            Ok(BestReply::Move(played, is_table)) => {
                if self.cache.len() >= MAX_CACHED {
                    self.cache.clear();
                }
                self.cache.insert(key, (played, is_table));
                answer.suggestion = Some((played, is_table));
            }
            Ok(BestReply::NoBestMove | BestReply::Other) => {}
            Ok(BestReply::Invalid) => {
                let is_new = !std::mem::replace(&mut self.is_invalid, true);
                answer.problem = is_new.then(|| CloudProblem::NoLibrary.to_string());
            }
            Err(problem) => answer.problem = problem,
        }
        (answer, wants_line)
    }

    /// The line of the library; empty if it has none.
    fn line(&mut self, request: &CloudRequest) -> Vec<Move> {
        let parameters = [("learn", "0"), ("stable", "1"), ("ban", &*request.ban)];
        let reply = self.ask("querypv", request, &parameters, request.line_time);
        // A failure during the search is counted, but not reported.
        reply.map_or_else(|_| Vec::new(), |reply| parse_line(&reply))
    }

    /// Asks the library, and counts failures. The parameter `learn=0` keeps the library from adding the position.
    ///
    /// # Errors
    /// A message for the user; `None` if the library refuses requests and this has been reported.
    fn ask(
        &mut self,
        action: &str,
        request: &CloudRequest,
        parameters: &[(&str, &str)],
        time: Duration,
    ) -> Result<String, Option<String>> {
        let reply = self.client.ask(action, &request.position, parameters, time);
        let error = match reply {
            Ok(reply) => {
                self.failures = 0;
                self.is_refused = false;
                return Ok(reply);
            }
            Err(error) => error,
        };
        let was_refused = self.is_refused;
        self.is_refused = matches!(error, ClientError::Refused);
        self.failures += 1;
        let problem = if self.failures < FAILURES_BEFORE_PAUSE {
            CloudProblem::Failed(error)
        } else {
            self.failures = 0;
            self.paused_until = Some(Instant::now() + PAUSE);
            CloudProblem::Paused(error)
        };
        let is_reported = was_refused && self.is_refused;
        Err((!is_reported).then(|| problem.to_string()))
    }
}

/// Parses a reply such as `move:h2e2`, `egtb:h2e2` or `search:h2e2|search:b2e2`.
fn parse_best(reply: &str) -> BestReply {
    if reply == "nobestmove" {
        return BestReply::NoBestMove;
    }
    let first = reply.split('|').next().unwrap_or("");
    let (kind, text) = first.split_once(':').unwrap_or_default();
    match (kind, text.parse()) {
        ("move" | "search", Ok(played)) => BestReply::Move(played, false),
        ("egtb", Ok(played)) => BestReply::Move(played, true),
        _ if is_status(reply) => BestReply::Other,
        _ => BestReply::Invalid,
    }
}

/// Whether a reply is empty or a status of the API, which consists of a few words.
fn is_status(reply: &str) -> bool {
    reply.len() < 80 && reply.chars().all(|c| c.is_ascii_lowercase() || c == ' ')
}

/// Parses a reply such as `score:23,depth:2,pv:b2e2|h9g7`, up to the first word of the line that is not a move.
fn parse_line(reply: &str) -> Vec<Move> {
    let pv = reply.split(',').find_map(|field| field.strip_prefix("pv:"));
    let moves = pv.unwrap_or("").split('|').map_while(|m| m.parse().ok());
    moves.take(LONGEST_LINE).collect()
}

/// The time to wait for the library; `None` if the limits contain neither a clock nor a time for the move.
fn wait_time(limits: &Limits) -> Option<Duration> {
    estimated_time(limits).map(|time| (time / WAIT_DIVISOR).min(LONGEST_WAIT))
}

/// The moves that the library must not suggest, in the syntax of the API: moves that may not be played, and moves that
/// repeat a position, because the library does not know the game.
fn banned_moves(request: &SearchRequest) -> String {
    let game = &request.game;
    let mut banned = Vec::new();
    for played in legal_moves(game.position()) {
        if game.is_repetition(played) || !request.may_play(played) {
            banned.push(format!("move:{played}"));
        }
    }
    banned.join("|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_replies_are_parsed() {
        let m = |text: &str| text.parse::<Move>().unwrap();
        let played = |text: &str| BestReply::Move(m(text), false);
        assert_eq!(parse_best("move:h2e2"), played("h2e2"));
        assert_eq!(parse_best("egtb:h2e2"), BestReply::Move(m("h2e2"), true));
        assert_eq!(parse_best("search:b2e2|search:h2e2"), played("b2e2"));
        assert_eq!(parse_best("nobestmove"), BestReply::NoBestMove);
        for text in ["", "invalid board", "unknown"] {
            assert_eq!(parse_best(text), BestReply::Other, "{text}");
        }
        for text in ["move:", "move:h2", "eval:12", "{}", "<html>", "move:炮二平五"] {
            assert_eq!(parse_best(text), BestReply::Invalid, "{text}");
        }
    }

    #[test]
    fn lines_end_at_the_first_invalid_move() {
        let line = |text: &str| {
            let moves = parse_line(text);
            moves.iter().map(|m| format!("{m} ")).collect::<String>()
        };
        assert_eq!(line("score:23,depth:2,pv:b2e2|h9g7"), "b2e2 h9g7 ");
        assert_eq!(line("score:23,depth:2,pv:b2e2|x|h9g7"), "b2e2 ");
        assert_eq!(line("score:-99999999999999,pv:b2e2,depth:x"), "b2e2 ");
        for text in ["", "unknown", "pv", "score:1,depth:0,pv:", "xpv:b2e2"] {
            assert_eq!(line(text), "", "{text}");
        }
        let long = format!("pv:{}", vec!["b2e2"; 2_000].join("|"));
        assert_eq!(parse_line(&long).len(), LONGEST_LINE);
    }

    #[test]
    fn wait_is_a_tenth_of_the_move_time() {
        let limits = |move_time| Limits::move_time(Duration::from_millis(move_time));
        assert_eq!(wait_time(&limits(1_000)), Some(Duration::from_millis(100)));
        assert_eq!(wait_time(&limits(60_000)), Some(LONGEST_WAIT));
        assert_eq!(wait_time(&Limits::depth(4)), None);
    }
}
