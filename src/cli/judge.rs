//! `chuhe judge`: verdicts on games by the rules.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::common::{
    Failure, GameArguments, GamePath, GameRulesArgument, GivenGame, Language, Place,
    TablebaseArguments, Unread, at_place, clauses_json, describe_ending, explain, fill,
    no_capture_json, note, place_json, play_line, plies_json, print, print_if_read, refuse_if,
    report_damaged_tablebases, row, rules_tag, terminal_width, texts, translated, verdict_name,
};
use crate::board::Color;
use crate::rules::{Cause, Game, Judgment, RuleSet, judge, judge_outcome};
use crate::tablebase::Tables;

/// Width of a column of verdicts: the length of `black_loses`, the longest verdict, and of `elephanteye`, the longest
/// name of a rule set.
const VERDICT_WIDTH: usize = 11;

/// Judge by the rules whether and how games have ended: none, draw, red_loses or black_loses.
///
/// The last position of a game is judged. If the rules ended the game before its last move, a message reports it.
///
/// All games of a file (`-` is standard input) are judged, in any format: PGN, XQF, CBR, CBL, CBF, PFC, DhtmlXQ, WXF,
/// or one `FEN moves M…` per line, where empty lines and lines that begin with `#` are skipped.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    #[command(flatten)]
    rules: GameRulesArgument,
    /// Explain the verdict: the class of each move of the repetition, and the result of the endgame tablebases.
    #[arg(long)]
    explain: bool,
    /// Print a JSON object for each game.
    #[arg(long)]
    json: bool,
    /// Print the verdicts of all rule sets side by side.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    tablebases: TablebaseArguments,
}

impl Arguments {
    /// Whether only the verdicts of all rule sets are printed, so that the rules of a game do not matter.
    fn is_side_by_side(&self) -> bool {
        self.all && !self.json && !self.explain
    }

    /// The rules for a game with the value `tag` of the tag `Rules`, see [`GameRulesArgument::of`].
    fn rules(&self, tag: Option<&str>, place: Option<(&Path, Place)>) -> RuleSet {
        self.rules.of(tag.filter(|_| !self.is_side_by_side()), place)
    }
}

struct Judging<'a> {
    arguments: &'a Arguments,
    tablebases: Arc<Tables>,
}

/// Prints the verdicts. A game that cannot be read does not stop the others, but makes the command fail.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let is_unused = arguments.tablebases.is_given() && !arguments.explain;
    refuse_if(is_unused, "--tables", "has an effect only with --explain")?;
    let why = "has no effect with --all, except with --json or --explain";
    refuse_if(arguments.is_side_by_side() && arguments.rules.rules.is_some(), "--rules", why)?;
    let judging = Judging { arguments, tablebases: arguments.tablebases.open()? };
    let done = judge_all(&judging);
    report_damaged_tablebases(&judging.tablebases);
    done
}

fn judge_all(judging: &Judging<'_>) -> Result<(), Failure> {
    let arguments = judging.arguments;
    let files = arguments.game.game_paths();
    if !files.is_empty() {
        judge_files(judging, &files)
    } else if arguments.game.is_given() {
        let given = arguments.game.read_with_source()?;
        let rules = given.rules();
        let left_out = given.record.as_ref().is_some_and(|record| record.lacks_last_moves());
        let GivenGame { game, source, .. } = given;
        // The text output does not name the place of a single game.
        let source = source.filter(|_| arguments.json);
        let place = source.as_ref().map(|(path, place)| (path.as_path(), *place));
        let judgment = judge(&game, arguments.rules(rules.as_deref(), place));
        let judged = JudgedGame { game, judgment, place, left_out };
        note_early_ends(arguments, &judged);
        print(&(heading(arguments) + &report(judging, &judged)))
    } else {
        Err(Failure::usage("judge", "no game and no file is given"))
    }
}

/// Judges the games of all files, then fails if any could not be read.
fn judge_files(judging: &Judging<'_>, files: &[GamePath]) -> Result<(), Failure> {
    if !print_if_read(&heading(judging.arguments))? {
        return Ok(());
    }
    let is_titled = files.len() > 1 && !judging.arguments.json;
    let mut unread = Unread::default();
    unread.each_file(files, |unread, file| {
        if is_titled && !print_if_read(&format!("{}:\n", file.path.display()))? {
            return Ok(());
        }
        judge_file(judging, file, unread)
    })?;
    unread.finish("judge")
}

fn judge_file(judging: &Judging<'_>, file: &GamePath, unread: &mut Unread) -> Result<(), Failure> {
    let path = file.path.as_path();
    let mut games = file.select(file.games_line_by_line()?);
    for (_, place, record) in games.by_ref() {
        let played = record.map_err(|error| place.reason(&error)).and_then(|record| {
            let record = file.cut_and_note(record, place)?;
            let game = play_line(record.main_line()).map_err(|failure| failure.text)?;
            let place = Some((path, place));
            let rules = judging.arguments.rules(rules_tag(&record).as_deref(), place);
            let judgment = judge(&game, rules);
            Ok(JudgedGame { game, judgment, place, left_out: record.lacks_last_moves() })
        });
        match played {
            Ok(judged) => {
                note_early_ends(judging.arguments, &judged);
                if !print_if_read(&report(judging, &judged))? {
                    return Ok(());
                }
            }
            Err(why) => unread.add_part(path, place, why),
        }
    }
    games.finish()
}

/// With `--all`, the line with the names of the rule sets above their verdicts; otherwise empty.
fn heading(arguments: &Arguments) -> String {
    if arguments.all && !arguments.json { side_by_side(RuleSet::name, None) } else { String::new() }
}

struct JudgedGame<'a> {
    game: Game,
    judgment: Judgment,
    /// The file from which the game was read, if any, and where in the file it is.
    place: Option<(&'a Path, Place)>,
    /// See [`GameTree::lacks_last_moves`](crate::notation::tree::GameTree::lacks_last_moves).
    left_out: bool,
}

/// Prints a message if the rules ended the game before its last move; with `--all`, one for each rule set that did.
/// Prints nothing with `--json`: the object has a field for this.
fn note_early_ends(arguments: &Arguments, judged: &JudgedGame<'_>) {
    let JudgedGame { game, judgment, place, .. } = judged;
    if arguments.json {
        return;
    }
    let sets = if arguments.all { &RuleSet::ALL[..] } else { &[judgment.rules] };
    for rules in sets {
        let end = game.until_end(*rules);
        let Some(early_end) = judge_outcome(&end, *rules).early_end(&end, game.plies().len())
        else {
            continue;
        };
        let mut text = translated(&early_end).into_owned();
        if arguments.all {
            text = fill(texts().labeled, &[rules.name(), &text]);
        }
        note(&at_place(*place, &text));
    }
}

/// The end of a game before its last move as JSON; null if the rules did not end it earlier.
fn early_end_json(game: &Game, rules: RuleSet) -> Value {
    let end = game.until_end(rules);
    let ply = end.plies().len();
    if ply == game.plies().len() {
        return Value::Null;
    }
    let judgment = judge_outcome(&end, rules);
    json!({ "ply": ply, "verdict": judgment.verdict, "reason": judgment.end_reason() })
}

/// The verdict on a game as text or as a JSON object.
fn report(judging: &Judging<'_>, judged: &JudgedGame<'_>) -> String {
    let arguments = judging.arguments;
    let JudgedGame { game, judgment, place, .. } = judged;
    if arguments.json {
        let object = Language::En.within(|| object(judging, judged));
        return format!("{object}\n");
    }
    let place = place.map(|(_, place)| place);
    let mut text = if arguments.all {
        side_by_side(|rules| verdict_name(judge_outcome(game, rules).verdict), place)
    } else {
        let verdict = verdict_name(judgment.verdict);
        let line = place.map(|place| fill(texts().labeled, &[&place.to_string(), verdict]));
        line.unwrap_or_else(|| verdict.to_owned()) + "\n"
    };
    if arguments.explain {
        text += &explain(game, judgment);
        if let Some(ending) = describe_ending(game, &judging.tablebases, judgment.rules) {
            text += &format!("{ending}\n");
        }
    }
    text
}

/// A word for each rule set in columns, then the place of the game.
fn side_by_side(word: impl Fn(RuleSet) -> &'static str, place: Option<Place>) -> String {
    let mut cells: Vec<String> = RuleSet::ALL.map(|rules| word(rules).to_owned()).into();
    cells.extend(place.map(|place| place.to_string()));
    row(&cells, &vec![VERDICT_WIDTH; cells.len()], terminal_width())
}

fn object(judging: &Judging<'_>, judged: &JudgedGame<'_>) -> Value {
    let arguments = judging.arguments;
    let JudgedGame { game, judgment, place, left_out } = judged;
    let mut object = place_json(*place);
    object["left_out"] = json!(left_out);
    object["verdict"] = json!(judgment.verdict);
    object["cause"] = json!(judgment.cause);
    object["rules"] = json!(judgment.rules);
    object["early_end"] = early_end_json(game, judgment.rules);
    let is_relevant = matches!(judgment.cause, Cause::Nothing | Cause::Repetition);
    object["occurrences"] = json!(is_relevant.then_some(judgment.occurrences));
    for color in Color::ALL {
        object[color.name()] = json!(judgment.perpetuals[color].to_string());
    }
    if arguments.all {
        for rules in RuleSet::ALL {
            object["all"][rules.name()] = json!(judge_outcome(game, rules).verdict);
        }
    }
    if arguments.explain {
        object["clauses"] = clauses_json(judgment);
        object["plies"] = plies_json(game, judgment);
        object["no_capture"] = no_capture_json(game, judgment.rules);
        object["ending"] = json!(describe_ending(game, &judging.tablebases, judgment.rules));
    }
    object
}
