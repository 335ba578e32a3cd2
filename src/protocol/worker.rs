//! The dialect of the workers of the public cloud library: UCCI without its handshake, and with `sel`, which selects
//! the moves that the library should score.
//!
//! `isok` starts the dialect and is always answered `yesok`. `fen F` sets the position. `sel DEPTH COUNT WINDOW`
//! searches COUNT lines to DEPTH and answers `selmove M1 M2 …`: the moves whose score is within WINDOW, in hundredths
//! of a minor piece, of the best one. Without a legal move, `go` is answered with `bestmove (none)`.

use std::collections::BTreeMap;

use super::codec::{Codec, Command, Reply};
use super::go::{GoError, GoRequest, ParameterError};
use super::options::Preferences;
use super::text::{Ranks, number, split_word};
use super::ucci::{Ucci, parse_position};
use crate::board::Move;
use crate::search::Report;
use crate::text::excerpt;

#[derive(Clone, Debug)]
pub struct WorkerDialect {
    ucci: Ucci,
    /// The `sel` in progress.
    selection: Option<Selection>,
}

impl Default for WorkerDialect {
    fn default() -> Self {
        Self { ucci: Ucci::for_worker(), selection: None }
    }
}

#[derive(Clone, Debug)]
struct Selection {
    /// The margin to the best score within which moves are selected, in hundredths of a minor piece.
    window: i64,
    /// The first move and the score of each line, by line number.
    lines: BTreeMap<usize, (Move, i64)>,
}

/// The answer to `isok`.
const YES_OK: &str = "yesok";
/// The parameters of `sel`, in order.
const PARAMETERS: [&str; 3] = ["sel DEPTH", "sel COUNT", "sel WINDOW"];

impl Codec for WorkerDialect {
    fn parse(&mut self, line: &str, preferences: &Preferences) -> Vec<Command> {
        let (verb, rest) = split_word(line);
        let command = match verb.to_ascii_lowercase().as_str() {
            "isok" => Command::Print(YES_OK.to_owned()),
            "fen" => Command::Position(parse_position(rest, Ranks::FromZero)),
            "sel" => Command::Go(parse_select(rest)),
            _ => return self.ucci.parse(line, preferences),
        };
        vec![command]
    }

    fn on_go(&mut self, request: &Result<GoRequest, GoError>) {
        let window = match request {
            Ok(request) => request.window,
            // An invalid `sel` is answered with `selmove` without moves.
            Err(GoError(errors)) => {
                let mut keys = errors.iter().map(ParameterError::key);
                keys.any(|key| PARAMETERS.contains(&key)).then_some(0)
            }
        };
        self.ucci.on_go(request);
        self.selection = window.map(|window| Selection { window, lines: BTreeMap::new() });
    }

    fn handshake_answer(&mut self) -> Vec<String> {
        vec![YES_OK.to_owned()]
    }

    fn format(&mut self, reply: &Reply<'_>, preferences: &Preferences) -> Vec<String> {
        match reply {
            Reply::Search { report: Report::Line(info), .. } => {
                if let (Some(selection), Some(first)) = (&mut self.selection, info.pv.first()) {
                    let scored = (*first, i64::from(info.score.number()));
                    selection.lines.insert(info.multipv, scored);
                }
            }
            Reply::BestMove { .. } | Reply::NoBestMove => {
                if let Some(selection) = self.selection.take() {
                    return vec![format_selected(selection.window, &selection.lines)];
                }
                if matches!(reply, Reply::NoBestMove) {
                    return vec!["bestmove (none)".to_owned()];
                }
            }
            _ => {}
        }
        self.ucci.format(reply, preferences)
    }
}

/// Parses `DEPTH COUNT WINDOW`, numbers as in `go`. One above 65,535 becomes 65,535; a DEPTH or COUNT of 0 becomes 1.
fn parse_select(text: &str) -> Result<GoRequest, GoError> {
    let mut words = text.split_whitespace();
    let mut errors = Vec::new();
    let mut read = |key| match words.next().map(|word| (word, number(word))) {
        Some((_, Some(value))) => u16::try_from(value).unwrap_or(u16::MAX),
        Some((word, None)) => {
            let given = excerpt(word);
            errors.push(ParameterError::NotANumber { key, given });
            0
        }
        None => {
            errors.push(ParameterError::Missing(key));
            0
        }
    };
    let [depth, count, window] = PARAMETERS.map(&mut read);
    if !errors.is_empty() {
        return Err(GoError(errors));
    }
    Ok(GoRequest {
        depth: Some(u32::from(depth.max(1))),
        lines: Some(usize::from(count.max(1))),
        window: Some(i64::from(window)),
        unknown_words: words.map(str::to_owned).collect(),
        ..GoRequest::default()
    })
}

fn format_selected(window: i64, lines: &BTreeMap<usize, (Move, i64)>) -> String {
    let best = lines.values().map(|(_, score)| *score).max();
    let is_near = |score: i64| best.is_some_and(|best| score >= best - window);
    let mut text = "selmove".to_owned();
    for (played, _) in lines.values().filter(|(_, score)| is_near(*score)) {
        text += &format!(" {played}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_within_the_window_are_selected() {
        let m = |text: &str| text.parse::<Move>().unwrap();
        let lines =
            BTreeMap::from([(1, (m("h2e2"), 40)), (2, (m("b0c2"), -160)), (3, (m("a0a1"), -161))]);
        assert_eq!(format_selected(200, &lines), "selmove h2e2 b0c2");
        assert_eq!(format_selected(0, &lines), "selmove h2e2");
        assert_eq!(format_selected(0, &BTreeMap::new()), "selmove");
    }

    #[test]
    fn sel_has_three_numbers() {
        let request = parse_select("12 5 200").unwrap();
        assert_eq!((request.depth, request.lines, request.window), (Some(12), Some(5), Some(200)));
        let window = |text: &str| parse_select(text).unwrap().window;
        assert_eq!(window("12 5 200.0"), Some(200));
        assert_eq!(window("12 5 70000"), Some(65_535));
        let error = |text: &str| parse_select(text).unwrap_err().to_string();
        assert_eq!(error("12 5"), "sel WINDOW needs a number");
        assert_eq!(
            error("x 5 y"),
            "sel DEPTH needs a number, not \"x\", sel WINDOW needs a number, not \"y\""
        );
    }
}
