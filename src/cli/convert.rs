//! `chuhe convert`: game records from one form into another.

use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::common::{Failure, PgnPlace, create_new, ignore_closed_pipe, read_games};
use crate::board::Position;
use crate::notation::pgn::{GameResult, PgnGame};
use crate::notation::{MoveStyle, fen};

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
                Box::new(create_new(path, "name another one, or remove it")?)
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
