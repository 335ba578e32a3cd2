//! `chuhe convert`: converts game records between formats, selects games, and extracts positions.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeSet, HashSet};
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::common::{
    Context, ErrorList, Failure, ForceArgument, GamePath, InputFiles, OpeningArgument, OutputFile,
    Unread, fill, is_folder, note, note_problems, refuse_if, require_extension, texts, translated,
    with_files_of_folders,
};
use crate::board::Position;
use crate::notation::epd::{lost_codes, operand_text};
use crate::notation::records::{CblWriter, RecordReader, write_cbr, write_dhtmlxq, write_xqf};
use crate::notation::tree::{GameResult, GameTree};
use crate::notation::{Line, MoveStyle, RecordError, date_tag, fen};
use crate::text::{counted, has_extension};

/// Convert game records, select games, extract positions.
///
/// The format of a file is recognized by its content: PGN or plain moves in any notation, in UTF-8, UTF-16,
/// GBK or Big5; XQF (象棋演播室); CBR, CBL and CBF (象棋桥); PFC (鹏飞象棋); MXQ (弈天); CCM (中国游戏中心);
/// DhtmlXQ (东萍); WXF files; or one game per line, as a FEN or `startpos` with moves. Comments and variations are
/// kept. A game with an impossible move is kept up to that move, which is reported.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Game records or lists of positions, or folders with such files; `-` for standard input; `FILE:3` is the third
    /// game, `FILE:3@42` its first 42 plies, `-- -:3` the third game of standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The format to write [default: xqf, cbr, cbl, fen or epd if this is the extension of --out, dhtmlxq if it is
    /// dhtmlxq, dpxq or ubb, otherwise pgn].
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT")]
    to: Option<TargetFormat>,
    /// The notation of moves in PGN [default: iccs].
    #[arg(long, value_enum, ignore_case = true, value_name = "NOTATION")]
    notation: Option<MoveStyle>,
    /// The file to write, or an existing folder, in which each game gets a file; `-`, the default, is standard output.
    #[arg(long, short, value_name = "FILE", default_value = "-", hide_default_value = true)]
    out: PathBuf,
    #[command(flatten)]
    force: ForceArgument,
    /// Write text in GBK instead of UTF-8. Characters that GBK lacks become `&#NUMBER;`, with a warning.
    #[arg(long)]
    gbk: bool,
    /// Reject games with an impossible move instead of keeping the moves before it.
    #[arg(long)]
    strict: bool,
    /// Only games of a player whose name contains NAME.
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Only games whose event or title contains NAME.
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// Only games with this result: 1-0, 0-1, 1/2-1/2 or *.
    #[arg(long, value_name = "RESULT")]
    result: Option<GameResult>,
    #[command(flatten)]
    opening: OpeningArgument,
    /// Write the code and name of the opening into the tags ECCO and Opening.
    #[arg(long)]
    openings: bool,
    /// Only games with at least N plies.
    #[arg(long, value_name = "N", default_value_t = 0)]
    min_plies: usize,
    /// Only the first of several games with the same start and moves, or the first of several equal positions.
    #[arg(long)]
    unique: bool,
    /// Extract the position after N plies instead of the last one; shorter games are skipped.
    #[arg(long, value_name = "N")]
    ply: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TargetFormat {
    /// Game records with comments and variations.
    Pgn,
    /// XQF (象棋演播室), one game.
    Xqf,
    /// CBR (象棋桥), one game.
    Cbr,
    /// CBL (象棋桥), a library of games.
    Cbl,
    /// DhtmlXQ (东萍).
    Dhtmlxq,
    /// One game per line, as in the command `position` of UCCI, without comments and variations.
    Moves,
    /// One position per line.
    Fen,
    /// One position per line, with the game that it is from.
    Epd,
}

impl Arguments {
    /// The format of `--to`, or else that of the extension of `--out`, or else PGN.
    fn format(&self) -> TargetFormat {
        use TargetFormat::{Cbl, Cbr, Dhtmlxq, Epd, Fen, Pgn, Xqf};
        let by_extension = [
            (Xqf, "xqf"),
            (Cbr, "cbr"),
            (Cbl, "cbl"),
            (Dhtmlxq, "dhtmlxq"),
            (Dhtmlxq, "ubb"),
            (Dhtmlxq, "dpxq"),
            (Fen, "fen"),
            (Epd, "epd"),
        ];
        let of_file =
            by_extension.into_iter().find(|(_, extension)| has_extension(&self.out, extension));
        self.to.or(of_file.map(|(format, _)| format)).unwrap_or(Pgn)
    }
}

impl TargetFormat {
    fn holds_positions(self) -> bool {
        matches!(self, Self::Fen | Self::Epd)
    }

    /// The extension of the files in a folder.
    fn extension(self) -> &'static str {
        match self {
            Self::Pgn => "pgn",
            Self::Xqf => "xqf",
            Self::Cbr => "cbr",
            Self::Cbl => "cbl",
            Self::Dhtmlxq => "dhtmlxq",
            Self::Moves => "txt",
            Self::Fen => "fen",
            Self::Epd => "epd",
        }
    }

    /// Encodes a game in a format that has fields for only some tags; `None` for formats that keep all tags or none.
    ///
    /// # Errors
    /// The format cannot hold the starting position.
    fn record(self, game: &GameTree) -> Result<Option<Vec<u8>>, RecordError> {
        Ok(match self {
            Self::Xqf => Some(write_xqf(game)?),
            Self::Cbr | Self::Cbl => Some(write_cbr(game)),
            Self::Dhtmlxq => Some(write_dhtmlxq(game).into_bytes()),
            Self::Pgn | Self::Moves | Self::Fen | Self::Epd => None,
        })
    }
}

/// Converts the games and prints how many were read and written. The command fails in the end if a game or file could
/// not be read; all others are written.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    require_effects(arguments)?;
    let mut unread = Unread::default();
    let files = with_files_of_folders(&arguments.files, &mut unread)?;
    let inputs = InputFiles::new(files.iter().map(|file| GamePath::parse(file).path));
    let output = if is_folder(&arguments.out) {
        None
    } else {
        inputs.require_other("--out", &arguments.out)?;
        Some(Output::create(arguments, &arguments.out)?)
    };
    let mut writer = Writer {
        arguments,
        inputs,
        output,
        written_hashes: HashSet::new(),
        read: 0,
        with_opening: 0,
        written: 0,
        not_held: 0,
        not_in_gbk: 0,
        lost_tags: BTreeSet::new(),
        without_counters: 0,
        lost_operations: BTreeSet::new(),
    };
    let converted = unread.each_file(&files, |unread, path| {
        convert_file(&GamePath::parse(path), &mut writer, unread)
    });
    if let Err(failure) = converted {
        // The files that were written to a folder stay.
        if writer.output.is_none() && writer.written > 0 {
            writer.note_counts();
        }
        return Err(failure);
    }
    if writer.read > 0
        && writer.with_opening == 0
        && let Some(failure) = arguments.opening.no_game()
    {
        return Err(failure);
    }
    writer.finish()?;
    writer.note_counts();
    unread.finish("convert")?;
    if writer.not_held > 0 {
        let why = format!("the format cannot hold {}", counted(writer.not_held, "game"));
        return Err(Failure::new("convert", why));
    }
    if writer.written == 0 {
        return Err(Failure::new("convert", "there is no game to write"));
    }
    Ok(())
}

/// Returns an error for an option that has no effect with the chosen format, and for an extension of `--out` that
/// belongs to a format that is not written.
fn require_effects(arguments: &Arguments) -> Result<(), Failure> {
    use TargetFormat::{Dhtmlxq, Epd, Moves, Pgn};
    let to = arguments.format();
    let holds_positions = to.holds_positions();
    let is_extension = |extension: &&str| has_extension(&arguments.out, extension);
    let is_read_only = ["cbf", "pfc", "mxq", "ccm", "wxf"].iter().any(is_extension);
    let why = "this format can only be read; --to names the format to write";
    let chooses_format = arguments.to.is_none() && !is_folder(&arguments.out);
    refuse_if(chooses_format && is_read_only, "--out", why)?;
    let why =
        "has an effect only with --to fen or epd; FILE:GAME@PLY selects the first plies of a game";
    refuse_if(arguments.ply.is_some() && !holds_positions, "--ply", why)?;
    if chooses_format {
        require_extension("--out", &arguments.out, &["pgn", "xqf", "cbr", "cbl", "fen", "epd"])?;
    }
    let why = "has an effect only with --to pgn";
    refuse_if(arguments.notation.is_some() && to != Pgn, "--notation", why)?;
    let why = "has an effect only with --to pgn, dhtmlxq or epd";
    refuse_if(arguments.gbk && !matches!(to, Pgn | Dhtmlxq | Epd), "--gbk", why)?;
    let has_no_tags = holds_positions || to == Moves;
    refuse_if(arguments.openings && has_no_tags, "--openings", "the format has no tags")
}

fn convert_file(
    game_path: &GamePath,
    writer: &mut Writer<'_>,
    unread: &mut Unread,
) -> Result<(), Failure> {
    let path = game_path.path.display();
    let mut games = game_path.select(game_path.games()?);
    let mut errors = ErrorList::default();
    for (_, place, game) in games.by_ref() {
        let game = game.map_err(|error| place.failure(&game_path.path, &error));
        let game = game.and_then(|game| {
            errors.report();
            let name = format_args!("{path}: {place}");
            if !writer.arguments.strict {
                return game_path.cut_and_note(game, place).context(name);
            }
            let game = game_path.cut(game).context(name)?;
            if let Some(problem) = game.main_line_problem() {
                return Err(Failure::new(name, problem));
            }
            note_problems(&game_path.path, place, &game);
            Ok(game)
        });
        match game {
            Ok(game) => {
                let written = writer.write_game(game, &format!("{path}: {place}"));
                written.map_err(|failure| Failure { is_output_error: true, ..failure })?;
            }
            Err(failure) => errors.add(failure),
        }
    }
    games.finish()?;
    let count = errors.count;
    if let Some(failure) = errors.failure(&game_path.path) {
        return Err(failure);
    }
    unread.add_games(count);
    Ok(())
}

/// A file that is written.
struct Output<'a> {
    arguments: &'a Arguments,
    file: OutputFile,
    /// The first game, for a format that holds only one.
    single: Option<GameTree>,
    /// Written at the end, because the index precedes the games.
    cbl: CblWriter,
    games: u64,
}

impl<'a> Output<'a> {
    fn create(arguments: &'a Arguments, path: &Path) -> Result<Self, Failure> {
        let file = OutputFile::create(path, arguments.force)?;
        Ok(Self { arguments, file, single: None, cbl: CblWriter::default(), games: 0 })
    }

    /// Adds a game, with its `text` if the format is a text.
    fn add(&mut self, game: GameTree, text: Option<&[u8]>) -> Result<(), Failure> {
        self.games += 1;
        if let Some(text) = text {
            return self.file.write_all(text).context(self.file.name());
        }
        if self.arguments.format() == TargetFormat::Cbl {
            self.cbl.add(&game);
        } else {
            self.single.get_or_insert(game);
        }
        Ok(())
    }

    /// Completes the file.
    fn finish(mut self) -> Result<(), Failure> {
        self.write_binary()?;
        self.file.finish()
    }

    /// Writes the games of a binary format.
    fn write_binary(&mut self) -> Result<(), Failure> {
        let to = self.arguments.format();
        if to == TargetFormat::Cbl {
            for part in std::mem::take(&mut self.cbl).finish() {
                self.file.write_all(&part).context(self.file.name())?;
            }
            return Ok(());
        }
        let Some(game) = &self.single else {
            return Ok(());
        };
        let option = self.arguments.to.map_or("--out", |_| "--to");
        if self.games > 1 {
            let why = format!(
                "this format holds one game, not {}: select one as in FILE:3, name an existing folder with --out, \
                 or use --to cbl or pgn",
                self.games
            );
            return Err(Failure::new(option, why));
        }
        let record = to.record(game).context(option)?;
        self.file.write_all(&record.unwrap_or_default()).context(self.file.name())
    }
}

struct Writer<'a> {
    arguments: &'a Arguments,
    inputs: InputFiles,
    /// `None` if each game gets a file in the folder of `--out`.
    output: Option<Output<'a>>,
    /// For `--unique`.
    written_hashes: HashSet<u64>,
    read: u64,
    /// The number of games with the opening of `--ecco`.
    with_opening: u64,
    written: u64,
    /// The number of games that the format cannot hold and that were left out.
    not_held: u64,
    /// The number of games with characters that GBK lacks.
    not_in_gbk: u64,
    /// The tags that the format has no field for or that are too long for it.
    lost_tags: BTreeSet<String>,
    /// The number of games whose starting position has counters of moves that the format cannot hold.
    without_counters: u64,
    /// The codes of the operations of EPD that the format cannot hold.
    lost_operations: BTreeSet<String>,
}

impl Writer<'_> {
    /// Writes a game if it is selected. `place` is its file and place for messages.
    fn write_game(&mut self, mut game: GameTree, place: &str) -> Result<(), Failure> {
        self.read += 1;
        let line = game.main_line();
        if !self.arguments.opening.selects(&line) {
            return Ok(());
        }
        self.with_opening += 1;
        if !self.is_selected(&game, &line) || !self.is_new(&line) {
            return Ok(());
        }
        if self.arguments.openings {
            game.set_opening_tags();
        }
        let format = self.arguments.format();
        match format.record(&game) {
            Ok(Some(bytes)) => self.note_losses(&game, &bytes),
            Err(error) if self.output.is_none() => {
                Failure::new(place, error).report();
                self.not_held += 1;
                return Ok(());
            }
            _ => {}
        }
        if !format.holds_positions() {
            self.lost_operations.extend(lost_codes(&game.operations));
        }
        let text = match format {
            TargetFormat::Pgn => {
                Some(game.write_pgn(self.arguments.notation.unwrap_or(MoveStyle::Iccs)))
            }
            TargetFormat::Dhtmlxq => Some(write_dhtmlxq(&game)),
            TargetFormat::Moves => Some(moves_line(&line)),
            TargetFormat::Fen | TargetFormat::Epd => match self.position_line(&game, &line) {
                Some(text) => Some(text),
                None => return Ok(()),
            },
            TargetFormat::Cbl | TargetFormat::Xqf | TargetFormat::Cbr => None,
        };
        let text = text.map(|text| self.encode(&text));
        if let Some(output) = &mut self.output {
            output.add(game, text.as_deref())?;
        } else {
            let path = self.path_in_folder(&game);
            self.inputs.require_other(path.display(), &path)?;
            let mut output = Output::create(self.arguments, &path)?;
            output.add(game, text.as_deref())?;
            output.finish()?;
        }
        self.written += 1;
        Ok(())
    }

    /// The text in the encoding of the output.
    fn encode(&mut self, text: &str) -> Vec<u8> {
        if !self.arguments.gbk {
            return text.as_bytes().to_vec();
        }
        let (bytes, _, has_others) = encoding_rs::GBK.encode(text);
        self.not_in_gbk += u64::from(has_others);
        bytes.into_owned()
    }

    /// The file of the next game in the folder of `--out`. Its name has the number of the file and the name of the
    /// game.
    fn path_in_folder(&self, game: &GameTree) -> PathBuf {
        let title = game.name().map(|title| format!(" {}", file_name_part(&title)));
        let (number, extension) = (self.written + 1, self.arguments.format().extension());
        let name = format!("{number:05}{}.{extension}", title.unwrap_or_default());
        self.arguments.out.join(name)
    }

    /// Records what the written `record` of a game lacks: tags that are missing or cut, and the counters of the
    /// starting position. Dates are compared in the form of PGN.
    fn note_losses(&mut self, game: &GameTree, record: &[u8]) {
        let reader = RecordReader::new(record).ok();
        let Some(Ok(read)) = reader.and_then(|mut reader| reader.next()) else {
            return;
        };
        for (name, value) in &game.tags {
            let is_empty = value.trim().is_empty() || value.trim_matches(['?', '.']).is_empty();
            let value = date_tag(name, value.trim());
            if !is_empty && read.tag(name).is_none_or(|kept| kept != value) {
                self.lost_tags.insert(name.clone());
            }
        }
        let start = |game: &GameTree| fen::write_position(&game.start);
        self.without_counters += u64::from(start(&read) != start(game));
    }

    /// Prints the number of games read, and the number of games or positions written.
    fn note_counts(&self) {
        let holds_positions = self.arguments.format().holds_positions();
        let noun = if holds_positions { "position" } else { "game" };
        let counts = [counted(self.read, "game"), counted(self.written, noun)];
        let counts = counts.each_ref().map(|count| translated(count));
        note(&fill(texts().games_converted, &[&counts[0], &counts[1]]));
    }

    /// Completes the output, if there is any, and prints what was lost.
    fn finish(&mut self) -> Result<(), Failure> {
        if self.written == 0 {
            return Ok(());
        }
        if let Some(output) = self.output.take() {
            output.finish()?;
        }
        if !self.lost_tags.is_empty() {
            let names: Vec<&str> = self.lost_tags.iter().map(String::as_str).collect();
            note(&format!(
                "the format cannot hold these tags in full, so they were lost or cut: {}",
                names.join(", ")
            ));
        }
        if self.without_counters > 0 {
            note(&format!(
                "{} with counters of moves in the starting position, which the format cannot hold",
                counted(self.without_counters, "game")
            ));
        }
        if !self.lost_operations.is_empty() {
            let codes: Vec<&str> = self.lost_operations.iter().map(String::as_str).collect();
            let codes = codes.join(", ");
            note(&format!(
                "only the format epd holds these operations, so they were lost: {codes}"
            ));
        }
        if self.not_in_gbk > 0 {
            note(&format!(
                "{} with characters that GBK lacks, written as `&#NUMBER;`",
                counted(self.not_in_gbk, "game")
            ));
        }
        Ok(())
    }

    /// Whether a game is selected by the options other than `--ecco` and `--unique`.
    fn is_selected(&self, game: &GameTree, line: &Line) -> bool {
        let arguments = self.arguments;
        let contains = |tag: &str, part: &str| {
            let value = game.tag(tag).unwrap_or_default().to_lowercase();
            value.contains(&part.to_lowercase())
        };
        let is_player = |name: &String| contains("Red", name) || contains("Black", name);
        let is_event = |name: &String| contains("Event", name) || contains("Title", name);
        arguments.player.as_ref().is_none_or(is_player)
            && arguments.event.as_ref().is_none_or(is_event)
            && arguments.result.is_none_or(|result| result == game.result)
            && line.moves.len() >= arguments.min_plies
    }

    /// Whether the game or its position has not been written before; always `true` without `--unique`.
    fn is_new(&mut self, line: &Line) -> bool {
        if !self.arguments.unique {
            return true;
        }
        let mut hasher = DefaultHasher::new();
        if self.arguments.format().holds_positions() {
            let position = position_after(line, self.arguments.ply);
            position.map(|position| board(&position)).hash(&mut hasher);
        } else {
            fen::write_position(&line.start).hash(&mut hasher);
            line.moves.hash(&mut hasher);
        }
        self.written_hashes.insert(hasher.finish())
    }

    /// The position of a game as FEN or EPD; `None` if the game is shorter than `--ply`.
    fn position_line(&self, game: &GameTree, line: &Line) -> Option<String> {
        let position = position_after(line, self.arguments.ply)?;
        if self.arguments.format() == TargetFormat::Fen {
            return Some(fen::write_position(&position) + "\n");
        }
        let board = board(&position);
        // Operations such as `bm` are about the last position.
        let is_last = self.arguments.ply.is_none_or(|ply| ply == line.moves.len());
        Some(match title(game) {
            _ if is_last && !game.operations.is_empty() => format!("{board} {}\n", game.operations),
            Some(title) => format!("{board} id \"{title}\";\n"),
            None => format!("{board}\n"),
        })
    }
}

/// The first four fields of a FEN.
fn board(position: &Position) -> String {
    fen::write_board_and_side(&position.setup()) + " - -"
}

fn moves_line(line: &Line) -> String {
    let start = fen::write_position(&line.start);
    let mut words = match start.as_str() {
        fen::START => vec!["startpos".to_owned()],
        _ => vec![format!("fen {start}")],
    };
    if !line.moves.is_empty() {
        words.push("moves".to_owned());
    }
    words.extend(line.moves.iter().map(ToString::to_string));
    words.join(" ") + "\n"
}

/// The position after a number of plies, or at the end; `None` if the game is shorter.
fn position_after(line: &Line, ply: Option<usize>) -> Option<Position> {
    let moves = match ply {
        Some(ply) => line.moves.get(..ply)?,
        None => &line.moves,
    };
    Some(line.start.after_all(moves.iter().copied()))
}

/// The players and the result of a game, or its event and title if they are unknown, as the content of an operand in
/// EPD.
fn title(game: &GameTree) -> Option<String> {
    let title = match game.players() {
        Some(players) => format!("{players} {}", game.result),
        None => game.name()?,
    };
    Some(operand_text(&title))
}

/// The text as a part of a file name, at most 60 characters: without the characters that Windows forbids in names.
fn file_name_part(text: &str) -> String {
    let is_forbidden = |c: char| c.is_control() || r#"<>:"/\|?*"#.contains(c);
    let allowed = text.chars().map(|c| if is_forbidden(c) { '_' } else { c });
    allowed.take(60).collect()
}
