//! `chuhe replay`: verifies game records.

use std::ffi::OsString;

use serde_json::{Value, json};

use super::common::{
    Failure, GamePath, Language, OpeningArgument, Place, Unread, clauses_json, columns, explain,
    fill, named_rules, no_capture_json, note, plies_json, plies_text, print_if_read, rules_tag,
    sentence, terminal_width, texts, translated, verdict_name, with_files_of_folders,
};
use crate::notation::RecordError;
use crate::notation::opening::{self, Opening};
use crate::notation::tree::{GameResult, GameTree};
use crate::rules::{Game, Judgment, RuleSet, Verdict, judge};
use crate::text::printable;
use crate::tournament::verify;

/// Verify game records: whether the moves are legal, and the results agree with the rules.
///
/// A game that continues after its end is an error too. Variations are not verified.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Files in any format (PGN, XQF, CBR, CBL, CBF, PFC, DhtmlXQ, WXF, one game per line), or folders with such files;
    /// `FILE:3` is the third game, `FILE:3@42` its first 42 plies, `-` standard input, `-- -:3` its third game.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<OsString>,
    /// The rules [default: the tag `Rules` of each game, or asian].
    #[arg(long, value_enum, ignore_case = true, value_name = "SET")]
    rules: Option<RuleSet>,
    /// Explain how the rules decide each game.
    #[arg(long)]
    explain: bool,
    /// Print a JSON object for each game.
    #[arg(long)]
    json: bool,
    /// List all games, including those that agree with the rules.
    #[arg(long, conflicts_with = "json")]
    list: bool,
    #[command(flatten)]
    opening: OpeningArgument,
}

/// Prints a line for each game that does not agree with the rules, and a summary of each file. Of several files, only
/// those with such a game have a summary (with `--list` all), and a summary of all files follows; files that cannot be
/// read are reported and skipped.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut counts = Counts::default();
    let (mut is_closed, mut unread) = (false, Unread::default());
    let files = with_files_of_folders(&arguments.files, &mut unread)?;
    for file in &files {
        let is_only = files.len() == 1;
        match replay_file(arguments, &GamePath::parse(file), is_only, &mut counts) {
            Ok(true) => {}
            Ok(false) => {
                is_closed = true;
                break;
            }
            Err(failure) => unread.add_file(failure, files.len())?,
        }
    }
    if files.len() > 1 && !is_closed && !arguments.json && counts.games > 0 {
        let numbers = [counts.games - counts.disagreeing, counts.games].map(|n| n.to_string());
        let sum = fill(texts().all_games_agree, &[&numbers[0], &numbers[1]]);
        is_closed = !print_if_read(&sentence(&sum, terminal_width()))?;
    }
    let games = match counts.disagreeing {
        0 => None,
        1 => Some("one game does not agree with the rules".to_owned()),
        count => Some(format!("{count} games do not agree with the rules")),
    };
    let games = games.map(|error| translated(&error).into_owned());
    let errors: Vec<String> = games.into_iter().chain(unread.clauses()).collect();
    if !errors.is_empty() {
        return Err(Failure::new("replay", errors.join(texts().clause_comma)));
    }
    match arguments.opening.no_game() {
        Some(failure) if counts.games == 0 && !is_closed => Err(failure),
        _ => Ok(()),
    }
}

/// The number of games, and of those that cannot be read or do not agree with the rules.
#[derive(Clone, Copy, Default)]
struct Counts {
    games: usize,
    disagreeing: usize,
}

/// Replays the games of a file and counts them in `counts`. `is_only` is whether there is no other file. Returns
/// `false` if standard output is closed.
fn replay_file(
    arguments: &Arguments,
    game_path: &GamePath,
    is_only: bool,
    counts: &mut Counts,
) -> Result<bool, Failure> {
    let mut games = game_path.select(game_path.games_line_by_line()?);
    let mut rows = Vec::new();
    let before = *counts;
    let mut variations = 0;
    // Scripts read the JSON objects, whose texts are therefore always in English.
    let language = if arguments.json { Language::En } else { Language::chosen() };
    while let Some((number, place, game)) = language.within(|| games.next()) {
        // A game that cannot be read is reported even if `--ecco` selects other openings.
        let selects = |game: &GameTree| arguments.opening.selects(&game.main_line());
        if !game.as_ref().map_or(true, selects) {
            continue;
        }
        counts.games += 1;
        variations += game.as_ref().map_or(0, GameTree::variations);
        let at = (number, place);
        let replayed = language.within(|| Replayed::new(arguments, game_path, at, game));
        counts.disagreeing += usize::from(replayed.why.is_some());
        if arguments.list {
            rows.push(replayed.row());
        }
        if !print_if_read(&replayed.text(arguments, game_path))? {
            return Ok(false);
        }
    }
    games.finish()?;
    let path = game_path.path.display().to_string();
    if variations > 0 {
        let values = [path.as_str(), &variations.to_string()];
        note(&fill(texts().variations_not_verified, &values));
    }
    let games = counts.games - before.games;
    if arguments.json || games == 0 && arguments.opening.ecco.is_some() {
        return Ok(true);
    }
    let agreeing = games + before.disagreeing - counts.disagreeing;
    if !is_only && !arguments.list && agreeing == games {
        return Ok(true);
    }
    let numbers = [agreeing, games].map(|number| number.to_string());
    let sum = fill(texts().games_agree, &[&path, &numbers[0], &numbers[1]]);
    let width = terminal_width();
    print_if_read(&(columns(&rows, width) + &sentence(&sum, width)))
}

/// A game that has been read and replayed as far as possible.
struct Replayed {
    number: usize,
    place: Place,
    record: Option<GameTree>,
    /// The reason why the game cannot be read or does not agree with the rules; `None` if it agrees.
    why: Option<String>,
    /// The game up to its end by the rules, or to its last move, and the judgment of that position.
    end: Option<(Game, Judgment)>,
}

impl Replayed {
    fn new(
        arguments: &Arguments,
        game_path: &GamePath,
        (number, place): (usize, Place),
        game: Result<GameTree, RecordError>,
    ) -> Self {
        let mut replayed = Self { number, place, record: None, why: None, end: None };
        replayed.why = replayed.replay(arguments, game_path, game).err();
        replayed
    }

    /// Replays the game. The error says why it cannot be read or does not agree with the rules, or that it has fewer
    /// plies than `FILE:GAME@PLY` requests.
    fn replay(
        &mut self,
        arguments: &Arguments,
        game_path: &GamePath,
        game: Result<GameTree, RecordError>,
    ) -> Result<(), String> {
        let game = game.map_err(|error| self.place.reason(&error))?;
        let record = self.record.insert(game_path.cut(game)?);
        if let Some(problem) = record.main_line_problem() {
            return Err(problem.to_owned());
        }
        let rules = match arguments.rules {
            Some(rules) => rules,
            None => {
                let named = rules_tag(record).as_deref().map(named_rules).transpose()?;
                named.unwrap_or_default()
            }
        };
        let game = Game::try_from(record.main_line()).map_err(|error| error.to_string())?;
        let end = game.until_end(rules);
        let judgment = judge(&end, rules);
        let verified = verify(record, &end, &judgment);
        self.end = Some((end, judgment));
        verified
    }

    fn plies(&self) -> usize {
        self.record.as_ref().map_or(0, GameTree::plies)
    }

    fn opening(&self) -> Option<&'static Opening> {
        opening::of(&self.record.as_ref()?.main_line())
    }

    /// The row of the game for `--list`.
    fn row(&self) -> [String; 7] {
        let result = self.record.as_ref().map(|record| record.result.to_string());
        let known = |name| self.record.as_ref()?.known_tag(name);
        let name = self.record.as_ref().and_then(GameTree::name).unwrap_or_default();
        let players = match [known("Red"), known("Black")] {
            [None, None] => [name.as_str(), ""],
            names => names.map(|name| name.unwrap_or("?")),
        };
        let [red, black] = players.map(printable);
        [
            self.number.to_string(),
            red,
            black,
            result.unwrap_or_else(|| "?".to_owned()),
            translated(&plies_text(self.plies())).into_owned(),
            self.opening().map_or("", |opening| opening.code).to_owned(),
            translated(self.why.as_deref().unwrap_or("agrees")).into_owned(),
        ]
    }

    /// The text of a game: a JSON object, or why it does not agree with the rules and the explanation.
    fn text(&self, arguments: &Arguments, game_path: &GamePath) -> String {
        if arguments.json {
            return format!("{}\n", self.object(arguments, game_path));
        }
        let mut text = String::new();
        let path = game_path.path.display().to_string();
        let place = fill(texts().labeled, &[&path, &self.place.to_string()]);
        match &self.why {
            Some(why) if !arguments.list => {
                text += &fill(texts().labeled, &[&place, &translated(why)]);
                text.push('\n');
            }
            _ if arguments.explain => {
                text += &place;
                text.push('\n');
            }
            _ => {}
        }
        if let (true, Some((game, judgment))) = (arguments.explain, &self.end) {
            text += &format!("{}\n{}", verdict_name(judgment.verdict), explain(game, judgment));
            if judgment.verdict == Verdict::Undecided {
                text += &translated(&self.recorded_ending());
            }
        }
        text
    }

    /// The recorded result and reason of a game that no rule ends, such as a resignation.
    fn recorded_ending(&self) -> String {
        let Some(record) = self.record.as_ref() else {
            return String::new();
        };
        let result = record.result;
        match self.recorded_reason() {
            Some(reason) => format!("recorded result: {result} by {}\n", printable(reason)),
            None if result == GameResult::Unfinished => String::new(),
            None => format!(
                "recorded result: {result} by resignation, agreement or another reason outside the \
                 rules\n"
            ),
        }
    }

    fn recorded_reason(&self) -> Option<&str> {
        let record = self.record.as_ref()?;
        record.tag("Reason").or_else(|| record.tag("Termination"))
    }

    fn object(&self, arguments: &Arguments, game_path: &GamePath) -> Value {
        let record = self.record.as_ref();
        let judgment = self.end.as_ref().map(|(_, judgment)| judgment);
        let mut object = json!({
            "file": game_path.path.display().to_string(),
            "game": self.number,
            "line": self.place.line(),
            "red": record.and_then(|record| record.tag("Red")),
            "black": record.and_then(|record| record.tag("Black")),
            "result": record.map(|record| record.result),
            "plies": self.plies(),
            "ecco": self.opening().map(|opening| opening.code),
            "opening": self.opening().map(|opening| &opening.name),
            "agrees": self.why.is_none(),
            "why": self.why,
            "reason": self.recorded_reason(),
            "rules": judgment.map(|judgment| judgment.rules),
            "verdict": judgment.map(|judgment| judgment.verdict),
            "cause": judgment.map(|judgment| judgment.cause),
        });
        if arguments.explain {
            object["clauses"] = json!(judgment.map(clauses_json));
            let repetition = |(game, judgment): &(Game, Judgment)| plies_json(game, judgment);
            object["repetition"] = json!(self.end.as_ref().map(repetition));
            let no_capture =
                |(game, judgment): &(Game, Judgment)| no_capture_json(game, judgment.rules);
            object["no_capture"] = json!(self.end.as_ref().map(no_capture));
        }
        object
    }
}
