//! `chuhe replay`: game records before the referee.

use serde_json::{Value, json};

use super::common::{
    Failure, PgnPlace, columns, explain, explain_plies, print_if_read, terminal_width,
};
use crate::notation::pgn::{PgnError, PgnGame};
use crate::rules::{Game, Judgement, RuleSet, judge};
use crate::text::printable;
use crate::tournament::{Replay, verify};

/// Replay the games of PGN files and see whether the rules agree with them: every move legal, no game
/// over before its last move, and ended as the record says.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The files, in UTF-8 or GBK, with moves in any notation; `FILE:3` is the third game alone,
    /// `FILE:3@42` its first 42 plies; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// The rules; without this those that a game names in its tag `Rules`, or else asian.
    #[arg(long, value_enum, ignore_case = true, value_name = "SET")]
    rules: Option<RuleSet>,
    /// Tell why the rules end each game, or what its last repetition was.
    #[arg(long)]
    explain: bool,
    /// Print a JSON object for each game.
    #[arg(long)]
    json: bool,
    /// List all games, those that agree as well.
    #[arg(long, conflicts_with = "json")]
    list: bool,
}

/// What has come of the files.
#[derive(Default)]
struct ReplayCounts {
    /// Games that do not agree.
    bad: usize,
    /// Files that cannot be read.
    unread: usize,
}

/// Prints a line for each game that does not agree, and the sum, file by file.
///
/// # Errors
/// A file cannot be read, which is reported at its turn, or a game does not agree; all the other files
/// are looked at first.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut counts = ReplayCounts::default();
    for file in &arguments.files {
        match replay_file(arguments, &PgnPlace::parse(file), &mut counts) {
            Ok(true) => {}
            Ok(false) => break,
            Err(failure) => {
                failure.report();
                counts.unread += 1;
            }
        }
    }
    let games = match counts.bad {
        0 => None,
        1 => Some("one game does not agree".to_owned()),
        bad => Some(format!("{bad} games do not agree")),
    };
    let files = match counts.unread {
        0 => None,
        1 => Some("one file cannot be read".to_owned()),
        unread => Some(format!("{unread} files cannot be read")),
    };
    let faults: Vec<String> = games.into_iter().chain(files).collect();
    match faults.is_empty() {
        true => Ok(()),
        false => Err(Failure::new("replay", faults.join(", "))),
    }
}

/// Replays the games of a file; `false` when nothing more can be printed.
fn replay_file(
    arguments: &Arguments,
    place: &PgnPlace,
    counts: &mut ReplayCounts,
) -> Result<bool, Failure> {
    let mut games = place.games()?;
    let mut rows = Vec::new();
    let (mut bad, mut count) = (0, 0);
    for (number, game) in (1..).zip(games.by_ref()) {
        if place.game.is_some_and(|only| only != number) {
            continue;
        }
        count += 1;
        let replayed = replay(arguments, place, number, game)?;
        bad += usize::from(replayed.why.is_some());
        if arguments.list {
            rows.push(replayed.row());
        }
        if !print_if_read(&replayed.text(arguments, place))? {
            return Ok(false);
        }
        if place.game.is_some() {
            break;
        }
    }
    counts.bad += bad;
    if place.game.is_none() {
        let finished = games.finish();
        finished.map_err(|error| Failure::new(place.path.display(), error))?;
    } else if count == 0 {
        return Err(Failure::new(place.path.display(), "there is no such game"));
    }
    let sum = format!(
        "{}: {} of {count} games agree\n",
        place.path.display(),
        count - bad
    );
    match arguments.json {
        true => Ok(true),
        false => print_if_read(&(columns(&rows, terminal_width()) + &sum)),
    }
}

/// A game that has been replayed.
struct Replayed {
    number: usize,
    record: Option<PgnGame>,
    /// What is wrong with it.
    why: Option<String>,
    /// The game with what the rules say at its end.
    end: Option<(Game, Judgement)>,
}

/// Replays a game.
///
/// # Errors
/// It has not so many plies as are asked for.
fn replay(
    arguments: &Arguments,
    place: &PgnPlace,
    number: usize,
    game: Result<PgnGame, PgnError>,
) -> Result<Replayed, Failure> {
    let mut replayed = Replayed {
        number,
        record: None,
        why: None,
        end: None,
    };
    let record = match game {
        Ok(game) => place.cut(game, number)?,
        Err(error) => {
            replayed.why = Some(error.to_string());
            return Ok(replayed);
        }
    };
    match rules_of(&record, arguments.rules) {
        Ok(rules) => {
            replayed.why = match verify(&record, rules) {
                Replay::Agrees => None,
                Replay::Disagrees(why) => Some(why),
            };
            let mut game = Game::new(record.line.start.clone());
            let are_legal = record.line.moves.iter().all(|m| game.push(*m).is_ok());
            replayed.end = are_legal.then(|| {
                let judgement = judge(&game, rules);
                (game, judgement)
            });
        }
        Err(why) => replayed.why = Some(why),
    }
    replayed.record = Some(record);
    Ok(replayed)
}

/// The rules by which a game is replayed.
fn rules_of(game: &PgnGame, rules: Option<RuleSet>) -> Result<RuleSet, String> {
    match (rules, game.tag("Rules")) {
        (Some(rules), _) => Ok(rules),
        (None, Some(name)) => name
            .parse()
            .map_err(|error| format!("rules \"{}\": {error}", printable(name))),
        (None, None) => Ok(RuleSet::default()),
    }
}

impl Replayed {
    fn tag(&self, name: &str) -> String {
        let record = self.record.as_ref();
        printable(record.and_then(|record| record.tag(name)).unwrap_or("?"))
    }

    fn plies(&self) -> usize {
        self.record
            .as_ref()
            .map_or(0, |record| record.line.moves.len())
    }

    /// The game in a list.
    fn row(&self) -> [String; 6] {
        let result = self.record.as_ref().map(|record| record.result.to_string());
        [
            self.number.to_string(),
            self.tag("Red"),
            self.tag("Black"),
            result.unwrap_or_else(|| "?".to_owned()),
            format!("{} plies", self.plies()),
            self.why.clone().unwrap_or_else(|| "agrees".to_owned()),
        ]
    }

    /// What is to be said of the game at once.
    fn text(&self, arguments: &Arguments, place: &PgnPlace) -> String {
        if arguments.json {
            return format!("{}\n", self.object(arguments, place));
        }
        let mut text = String::new();
        let place = place.path.display();
        match &self.why {
            Some(why) if !arguments.list => {
                text += &format!("{place}: game {}: {why}\n", self.number);
            }
            None if arguments.explain => text += &format!("{place}: game {}\n", self.number),
            _ => {}
        }
        if let (true, Some((game, judgement))) = (arguments.explain, &self.end) {
            text += &format!("{}\n{}", judgement.verdict, explain(game, judgement));
        }
        text
    }

    fn object(&self, arguments: &Arguments, place: &PgnPlace) -> Value {
        let record = self.record.as_ref();
        let mut object = json!({
            "file": place.path.display().to_string(),
            "game": self.number,
            "red": record.and_then(|record| record.tag("Red")),
            "black": record.and_then(|record| record.tag("Black")),
            "result": record.map(|record| record.result.text()),
            "plies": self.plies(),
            "agrees": self.why.is_none(),
            "why": self.why,
        });
        if let Some((game, judgement)) = &self.end {
            object["rules"] = json!(judgement.rules.name());
            object["verdict"] = json!(judgement.verdict.name());
            object["cause"] = json!(judgement.cause.to_string());
            if arguments.explain {
                object["repetition"] = explain_plies(game, judgement);
            }
        }
        object
    }
}
