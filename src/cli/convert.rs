//! `chuhe convert`: game records from one form into another.

use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::io::{self, Cursor, Read, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::common::output_file::begin_file;
use super::common::pgn_place::PgnPlace;
use super::common::{Failure, ignore_closed_pipe, open_input};
use crate::board::Position;
use crate::notation::epd::{Epd, EpdError};
use crate::notation::pgn::{GameResult, PgnGame, PgnReader, decode};
use crate::notation::records::{
    is_ccbridge, is_dhtmlxq, is_xqf, read_ccbridge, read_dhtmlxq, read_xqf,
};
use crate::notation::{GameText, Line, MoveStyle, Separator, fen};
use crate::text::{bytes_without_byte_order_mark, read_all, read_line};

/// No file that is read at once is larger, in MB.
const LARGEST_RECORD: u64 = 256;
/// What a file holds is seen from so many bytes at its beginning.
const LOOK_AHEAD: u64 = 1 << 16;
/// No line of a file of games is longer, in MB.
const LONGEST_LINE: u64 = 16;

/// Convert game records, pick games out of them, extract positions.
///
/// What a file holds is seen from its content: PGN in any notation, UTF-8 or GBK; XQF (象棋演播室);
/// CBR and CBL (象棋桥); DhtmlXQ (东萍); or a game a line, as a FEN or `startpos` with moves. Of each game
/// the main line is read, with its comments; variations are left out.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Arguments {
    /// Records of games or lists of positions; `-` for standard input; `FILE:3` is the third game alone,
    /// `FILE:3@42` its first 42 plies.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// What to write.
    #[arg(long, value_enum, value_name = "FORM", default_value_t = TargetFormat::Pgn)]
    to: TargetFormat,
    /// How a PGN writes moves.
    #[arg(
        long,
        value_enum,
        ignore_case = true,
        value_name = "NOTATION",
        default_value = "iccs"
    )]
    notation: MoveStyle,
    /// The file to write, which must not exist; standard output without it, or as `-`.
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write in GBK instead of UTF-8.
    #[arg(long)]
    gbk: bool,
    /// Only games of a player whose name contains this.
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Only games of an event whose name contains this.
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// Only games with this result: 1-0, 0-1, 1/2-1/2 or *.
    #[arg(long, value_name = "RESULT")]
    result: Option<GameResult>,
    /// Only games of at least so many plies.
    #[arg(long, value_name = "N", default_value_t = 0)]
    min_plies: usize,
    /// Only the first of games with the same start and moves; of positions, only the first of each.
    #[arg(long)]
    unique: bool,
    /// The position after so many plies instead of that at the end; games that are shorter have none.
    #[arg(long, value_name = "N")]
    ply: Option<usize>,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TargetFormat {
    /// Game records.
    Pgn,
    /// A game a line, as the `position` of UCCI has it.
    Moves,
    /// A position a line.
    Fen,
    /// A position a line with the game that it comes from.
    Epd,
}

/// Converts, and tells how many games were read and written.
///
/// # Errors
/// A file cannot be read or written, or a game cannot be read; all that can be is written first.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let is_of_games = matches!(arguments.to, TargetFormat::Pgn | TargetFormat::Moves);
    if is_of_games && arguments.ply.is_some() {
        let why =
            "positions have plies: say --to fen or --to epd, or FILE:GAME@PLY for a part of a game";
        return Err(Failure::usage("--ply", why));
    }
    let mut writer = Writer {
        arguments,
        out: match &arguments.out {
            Some(path) if path.as_os_str() != "-" => {
                Box::new(begin_file(path, "name another one, or remove it")?)
            }
            _ => Box::new(io::stdout().lock()),
        },
        known: HashSet::new(),
        read: 0,
        written: 0,
    };
    let mut unread = 0;
    for path in &arguments.files {
        let place = place(path);
        let mut number = 0;
        let read = read_games(&place.path, |game| {
            number += 1;
            if place.game.is_some_and(|only| only != number) {
                return Ok(());
            }
            let game = game.map_err(|reason| Failure::new(place.path.display(), reason));
            match game.and_then(|game| place.cut(game, number)) {
                Ok(game) => writer.write_game(&game),
                Err(failure) => {
                    failure.report();
                    unread += 1;
                    Ok(())
                }
            }
        });
        read.map_err(|error| Failure::new(place.path.display(), error))?;
        if let Some(only) = place.game.filter(|only| !(1..=number).contains(only)) {
            let why = format!("there is no game {only}");
            return Err(Failure::new(place.path.display(), why));
        }
    }
    let (read, written) = (writer.read, writer.written);
    let lines = match is_of_games {
        true => counted(written, "game"),
        false => counted(written, "position"),
    };
    let _ = writeln!(
        io::stderr(),
        "{} read, {lines} written",
        counted(read, "game")
    );
    match unread {
        0 => Ok(()),
        _ => Err(Failure::new(
            "convert",
            format!("{} cannot be read", counted(unread, "game")),
        )),
    }
}

/// A number of things in words.
fn counted(number: u64, name: &str) -> String {
    match number {
        1 => format!("1 {name}"),
        _ => format!("{number} {name}s"),
    }
}

/// A file, or a game of it where no file has that name.
fn place(path: &Path) -> PgnPlace {
    let whole = PgnPlace {
        path: path.to_owned(),
        game: None,
        ply: None,
    };
    match path.to_str() {
        Some(text) if !path.exists() => PgnPlace::parse(text),
        _ => whole,
    }
}

/// Hands each game of a file, or why it is none, to `found`.
fn read_games(
    path: &Path,
    mut found: impl FnMut(Result<PgnGame, String>) -> io::Result<()>,
) -> io::Result<()> {
    let mut rest = open_input(path)?;
    let mut beginning = Vec::new();
    rest.by_ref().take(LOOK_AHEAD).read_to_end(&mut beginning)?;
    let mut file = Cursor::new(beginning.clone()).chain(rest);
    if is_xqf(&beginning) {
        let game = read_xqf(&read_all(file, LARGEST_RECORD)?);
        return found(game.map_err(|error| error.to_string()));
    }
    if is_ccbridge(&beginning) {
        let bytes = read_all(file, LARGEST_RECORD)?;
        for (number, game) in (1..).zip(read_ccbridge(&bytes)) {
            found(game.map_err(|error| format!("game {number}: {error}")))?;
        }
        return Ok(());
    }
    if is_dhtmlxq(&beginning) {
        let bytes = read_all(file, LARGEST_RECORD)?;
        for (number, game) in (1..).zip(read_dhtmlxq(&decode(&bytes))) {
            found(game.map_err(|error| format!("game {number}: {error}")))?;
        }
        return Ok(());
    }
    let is_pgn = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("pgn"));
    let text = bytes_without_byte_order_mark(&beginning);
    let has = |text: &[u8]| beginning.windows(text.len()).any(|window| window == text);
    let begins = |text: &[u8]| text.starts_with(b"[") || text.starts_with(b"1.");
    if is_pgn || begins(text) || has(b"\n[") || has(b"\n1.") {
        let mut games = PgnReader::new(file);
        for (number, game) in (1..).zip(games.by_ref()) {
            found(game.map_err(|error| format!("game {number}: {error}")))?;
        }
        return games.finish();
    }
    if !is_text(&beginning) {
        return Err(io::Error::other(
            "this is no text, and no record of a program that is known",
        ));
    }
    let (mut number, mut line) = (0, Vec::new());
    while read_line(&mut file, LONGEST_LINE, &mut line)? {
        number += 1;
        let text = decode(&line);
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        found(read_game(text).map_err(|error| format!("line {number}: {error}")))?;
    }
    Ok(())
}

/// Whether bytes may be text in UTF-8 or GBK: control characters are those that text has.
fn is_text(bytes: &[u8]) -> bool {
    let is_strange = |byte: &u8| matches!(byte, 0..8 | 14..26 | 28..32);
    !bytes.iter().any(is_strange)
}

/// Reads a line: a position with moves or the operations of an EPD, of which `id` becomes the event.
fn read_game(text: &str) -> Result<PgnGame, String> {
    let (line, tags) = match GameText::split(text, Separator::Optional).read() {
        Ok(line) => (line, Vec::new()),
        Err(_) if text.contains(';') => {
            let epd: Epd = text.parse().map_err(|error: EpdError| error.to_string())?;
            let event = epd.id().map(|id| ("Event".to_owned(), id.to_owned()));
            let start = epd.position;
            let moves = Vec::new();
            (Line { start, moves }, event.into_iter().collect())
        }
        Err(error) => return Err(error.to_string()),
    };
    Ok(PgnGame {
        tags,
        comments: vec![String::new(); line.moves.len()],
        line,
        result: GameResult::Unfinished,
    })
}

/// Where converted games go.
struct Writer<'a> {
    arguments: &'a Arguments,
    out: Box<dyn Write + 'a>,
    /// What has been written, where it is to be written once.
    known: HashSet<u64>,
    read: u64,
    written: u64,
}

impl Writer<'_> {
    /// Writes a game, if it is wanted.
    fn write_game(&mut self, game: &PgnGame) -> io::Result<()> {
        self.read += 1;
        if !self.is_wanted(game) {
            return Ok(());
        }
        let Some(text) = self.text(game) else {
            return Ok(());
        };
        let bytes = match self.arguments.gbk {
            true => encoding_rs::GBK.encode(&text).0.into_owned(),
            false => text.into_bytes(),
        };
        self.written += 1;
        self.out.write_all(&bytes).or_else(ignore_closed_pipe)
    }

    fn is_wanted(&self, game: &PgnGame) -> bool {
        let arguments = self.arguments;
        let contains = |tag: &str, part: &str| {
            let value = game.tag(tag).unwrap_or_default().to_lowercase();
            value.contains(&part.to_lowercase())
        };
        let is_of = |name: &String| contains("Red", name) || contains("Black", name);
        let is_at = |name: &String| contains("Event", name);
        arguments.player.as_ref().is_none_or(is_of)
            && arguments.event.as_ref().is_none_or(is_at)
            && arguments.result.is_none_or(|result| result == game.result)
            && game.line.moves.len() >= arguments.min_plies
    }

    /// Whether something is there for the first time, where that counts.
    fn is_new(&mut self, what: &impl Hash) -> bool {
        let mut hasher = DefaultHasher::new();
        what.hash(&mut hasher);
        !self.arguments.unique || self.known.insert(hasher.finish())
    }

    /// What is to be written of a game.
    fn text(&mut self, game: &PgnGame) -> Option<String> {
        let start = fen::write_position(&game.line.start);
        match self.arguments.to {
            TargetFormat::Pgn | TargetFormat::Moves => {
                let moves = game.line.moves.iter().map(ToString::to_string);
                let moves: Vec<String> = moves.collect();
                self.is_new(&(&start, &moves))
                    .then(|| match self.arguments.to {
                        TargetFormat::Pgn => game.write(self.arguments.notation),
                        _ => moves_line(&start, &moves),
                    })
            }
            TargetFormat::Fen | TargetFormat::Epd => {
                let position = position_after(game, self.arguments.ply)?;
                let fen = fen::write_position(&position);
                let fields: Vec<&str> = fen.split(' ').take(4).collect();
                let board = fields.join(" ");
                self.is_new(&board).then(|| match self.arguments.to {
                    TargetFormat::Fen => fen + "\n",
                    _ => match title(game) {
                        Some(title) => format!("{board} id \"{title}\";\n"),
                        None => format!("{board}\n"),
                    },
                })
            }
        }
    }
}

fn moves_line(start: &str, moves: &[String]) -> String {
    let mut line = match start == fen::START {
        true => "startpos".to_owned(),
        false => format!("fen {start}"),
    };
    if !moves.is_empty() {
        line += " moves ";
        line += &moves.join(" ");
    }
    line + "\n"
}

/// The position after so many plies, or at the end; `None` where the game is shorter.
fn position_after(game: &PgnGame, ply: Option<usize>) -> Option<Position> {
    let mut position = game.line.start.clone();
    let moves = match ply {
        Some(ply) => game.line.moves.get(..ply)?,
        None => &game.line.moves,
    };
    for m in moves {
        position.make(*m);
    }
    Some(position)
}

/// The players of a game, without what would end the text of an EPD; its event where they are not known.
fn title(game: &PgnGame) -> Option<String> {
    let name = |tag: &str| Some(game.tag(tag)?.replace(['"', ';', '\n'], "'"));
    match (name("Red"), name("Black")) {
        (None, None) => name("Event"),
        (red, black) => {
            let [red, black] = [red, black].map(|name| name.unwrap_or_else(|| "?".to_owned()));
            Some(format!("{red} - {black} {}", game.result))
        }
    }
}
