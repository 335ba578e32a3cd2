//! `chuhe cloud export` and `dump`: write a library as a book, as games or as text.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use super::library::{DUMP_HEADER, open};
use crate::board::{Color, Move, Position};
use crate::book::{BookMove, BookTable, Memo};
use crate::cli::book::file::Output;
use crate::cli::common::{
    Context, Failure, ForceArgument, OutputFile, refuse_if, require_not_input,
};
use crate::cloud::key::{Key, View};
use crate::cloud::score::{FINAL, MATE};
use crate::cloud::store::{Location, Note, PlacedNote, Snapshot, StoreError};
use crate::cloud::{Edge, Entry, Row, fen};
use crate::notation::MoveStyle;
use crate::notation::tree::{AnnotatedMove, GameTree, NodeId, ROOT, append, glyph_text};
use crate::text::has_extension;

/// Write the good moves of a library to an opening book (.xqb, or BOOK.DAT format) or as games (.pgn).
///
/// In a book the best move has weight 100, and other moves one less for each hundredth of a minor piece below the best
/// score. An .xqb also contains the notes on its moves. A PGN has each position once, with scores and notes as
/// comments. Moves that are not good are included only if they have a note.
#[derive(Debug, clap::Args)]
pub struct ExportArguments {
    /// Library file or database.
    library: Location,
    /// New book or game record.
    out: PathBuf,
    #[command(flatten)]
    force: ForceArgument,
    /// Leave out private positions and private notes.
    #[arg(long)]
    public: bool,
}

/// Write a library as text, which `chuhe cloud import` merges into another library.
///
/// The text has the private positions, then one move per line (board, side, move, value after the move, depth), then
/// the notes.
#[derive(Debug, clap::Args)]
pub struct DumpArguments {
    /// Library file or database.
    library: Location,
    /// New file; standard output by default, or for `-`.
    #[arg(default_value = "-", hide_default_value = true)]
    out: PathBuf,
    #[command(flatten)]
    force: ForceArgument,
    /// Leave out private positions and private notes.
    #[arg(long)]
    public: bool,
}

pub fn export(arguments: &ExportArguments) -> Result<(), Failure> {
    require_not_input("OUT", &arguments.out, arguments.library.file())?;
    if has_extension(&arguments.out, "pgn") {
        let out = OutputFile::create(&arguments.out, arguments.force)?;
        let store = open(&arguments.library)?;
        let games = store.read_part(arguments.public, games);
        let games = games.context(&arguments.library)?;
        let games = games.iter().map(|game| game.write_pgn(MoveStyle::Iccs));
        return out.write(games.collect::<String>());
    }
    let is_unknown = |extension: &OsStr| {
        let extension = extension.to_string_lossy().to_lowercase();
        // `Output` explains that the last two cannot be written.
        !["dat", "xqb", "obk", "pfbook"].contains(&&*extension)
    };
    let is_other = arguments.out.extension().is_some_and(is_unknown);
    let why = "the extension of the file must be .dat, .xqb or .pgn";
    refuse_if(is_other, arguments.out.display(), why)?;
    let out = Output::new(&arguments.out, arguments.force)?;
    let store = open(&arguments.library)?;
    let (mut table, mut memos) = (BookTable::default(), Vec::new());
    let add_all = |snapshot: &Snapshot<'_>| {
        snapshot.for_each(|key, row| {
            if let Some(position) = key.position() {
                add_moves(&mut table, &position, &row);
            }
            Ok::<_, StoreError>(())
        })?;
        snapshot.for_each_note(|key, placed| {
            let row = snapshot.get(key)?.unwrap_or_default();
            let position = position_of(key, &row);
            if let Some(position) = position.filter(|_| !placed.note.has_no_text()) {
                memos.extend(memo(&position, placed));
            }
            Ok::<_, StoreError>(())
        })
    };
    let added = store.read_part(arguments.public, add_all);
    added.context(&arguments.library)?;
    out.write(&table, Vec::new(), &memos)
}

/// The position of a key. Its colors are swapped if the position is then nearer to the starting position.
fn position_of(key: &Key, row: &Row) -> Option<Position> {
    let position = key.position()?;
    Some(if row.is_nearer_with_colors_swapped() {
        position.with_colors_swapped()
    } else {
        position
    })
}

/// Adds the good moves of a position, and of the position with colors swapped.
fn add_moves(table: &mut BookTable, position: &Position, row: &Row) {
    let best = row.best_score();
    let positions = [position.clone(), position.with_colors_swapped()];
    for position in &positions {
        let view = View::of(position);
        for entry in row.good_moves() {
            let weight = u32::try_from(100 - (best - entry.score())).unwrap_or(1);
            table.add(position, BookMove::new(view.played(entry.m), weight.max(1)));
        }
    }
}

/// The text of a note for its move; in a symmetric position also for the mirror image of the move.
fn memo(position: &Position, placed: PlacedNote) -> Vec<Memo> {
    let view = View::of(position);
    let played = view.played(placed.m);
    let note = placed.note.converted(&view);
    let mut words: Vec<String> = note.glyphs.iter().copied().map(glyph_text).collect();
    words.push(text(&note));
    let text = words.join(" ").trim().to_owned();
    let mirrored = view.is_symmetric.then(|| played.flip_file());
    let moves = [Some(played), mirrored].into_iter().flatten();
    moves.map(|m| (position.clone(), m, text.clone())).collect()
}

/// The name and the comment of a note.
fn text(note: &Note) -> String {
    let mut text = note.name.clone();
    append(&mut text, &note.comment);
    text
}

/// The library as games: first one from the starting position, if it is known, then one from each position that no
/// earlier game contains. Positions without a move to export have no game.
fn games(snapshot: &Snapshot<'_>) -> Result<Vec<GameTree>, StoreError> {
    let mut positions: BTreeMap<Key, Contents> = BTreeMap::new();
    snapshot.for_each(|key, row| {
        positions.entry(key).or_default().row = row;
        Ok::<_, StoreError>(())
    })?;
    snapshot.for_each_note(|key, placed| {
        positions.entry(key.clone()).or_default().notes.push(placed);
        Ok::<_, StoreError>(())
    })?;
    let mut seen = HashSet::new();
    let mut games = Vec::new();
    let start = View::of(&Position::startpos()).key;
    if positions.contains_key(&start) {
        games.push(game(&positions, Position::startpos(), &mut seen));
    }
    // The next games start from positions that no move of the library leads to, the last games from the remaining
    // positions.
    let moves = positions
        .iter()
        .map(|(key, contents)| Edge::of_stored(key, contents.moves().map(|(m, ..)| m)));
    let children: HashSet<Key> = moves.flatten().map(|edge| edge.child).collect();
    let (first, rest): (Vec<_>, Vec<_>) =
        positions.iter().partition(|(key, _)| !children.contains(key));
    for (key, contents) in first.into_iter().chain(rest) {
        if let Some(position) = position_of(key, &contents.row).filter(|_| !seen.contains(key)) {
            games.push(game(&positions, position, &mut seen));
        }
    }
    games.retain(|game| game.plies() > 0);
    Ok(games)
}

/// The known moves and the notes of a position.
#[derive(Default)]
struct Contents {
    row: Row,
    notes: Vec<PlacedNote>,
}

impl Contents {
    /// The good moves, best first, then other moves with notes.
    fn moves(&self) -> impl Iterator<Item = (Move, Option<&Entry>, Option<&Note>)> {
        let note = |m: Move| {
            let placed = self.notes.iter().find(|placed| placed.m == m);
            placed.map(|placed| &placed.note)
        };
        let mut good: Vec<&Entry> = self.row.good_moves().collect();
        good.sort_by_key(|entry| -entry.score());
        let good_moves: HashSet<Move> = good.iter().map(|entry| entry.m).collect();
        let notes = self.notes.iter();
        let others = notes.filter(move |placed| !good_moves.contains(&placed.m));
        let good = good.into_iter();
        let good = good.map(move |entry| (entry.m, Some(entry), note(entry.m)));
        good.chain(others.map(|placed| (placed.m, self.row.get(placed.m), Some(&placed.note))))
    }
}

/// The game tree of the moves after a position. The moves of a position are added only the first time it is seen.
fn game(positions: &BTreeMap<Key, Contents>, start: Position, seen: &mut HashSet<Key>) -> GameTree {
    let mut game = GameTree::new(start.clone());
    game.set_tag("Event", "Chuhe cloud library");
    let mut open: Vec<(NodeId, Position)> = vec![(ROOT, start)];
    while let Some((node, position)) = open.pop() {
        let view = View::of(&position);
        let contents = positions.get(&view.key);
        let Some(contents) = contents.filter(|_| seen.insert(view.key.clone())) else {
            continue;
        };
        let mut children = Vec::new();
        for (m, entry, note) in contents.moves() {
            let note = note.cloned().unwrap_or_default().converted(&view);
            let played = view.played(m);
            let mut comment = entry.map_or_else(String::new, |entry| evaluation(&position, entry));
            append(&mut comment, &text(&note));
            let annotated = AnnotatedMove { played: Some(played), comment, glyphs: note.glyphs };
            children.push((game.moves.add(node, annotated), position.after(played)));
        }
        open.extend(children.into_iter().rev());
    }
    game
}

/// The score of a move for red in minor pieces, or the moves to mate, and the depth, as a PGN command such as
/// `[%eval 0.35,12]` or `[%eval #-3,12]`.
fn evaluation(position: &Position, entry: &Entry) -> String {
    let score = match position.side_to_move() {
        Color::Red => entry.score(),
        Color::Black => -entry.score(),
    };
    let depth = entry.depth;
    if score.abs() >= MATE {
        let moves = (FINAL - score.abs() + 1) / 2;
        let sign = if score < 0 { "-" } else { "" };
        return format!("[%eval #{sign}{moves},{depth}]");
    }
    format!("[%eval {:.2},{depth}]", f64::from(score) / 100.0)
}

pub fn dump(arguments: &DumpArguments) -> Result<(), Failure> {
    require_not_input("OUT", &arguments.out, arguments.library.file())?;
    let store = open(&arguments.library)?;
    let mut out = OutputFile::create(&arguments.out, arguments.force)?;
    let written = store.read_part(arguments.public, |snapshot| {
        write_dump(snapshot, BufWriter::with_capacity(BUFFER_SIZE, &mut out))
    });
    match written {
        Ok(()) => out.finish(),
        Err(DumpError::Store(error)) => Err(Failure::new(&arguments.library, error)),
        Err(DumpError::Write(error)) => Err(Failure::of_output(out.name(), error)),
    }
}

/// Writes the private positions, the moves and the notes, in this order: an import must mark a position as private
/// before it adds its moves.
fn write_dump(snapshot: &Snapshot<'_>, mut out: impl Write) -> Result<(), DumpError> {
    let board = |key: &Key| key.position().map(|position| fen::write(&position));
    writeln!(out, "{DUMP_HEADER}")?;
    for board in snapshot.private_positions()?.iter().filter_map(board) {
        writeln!(out, "{board} private")?;
    }
    snapshot.for_each(|key, row| {
        if let Some(board) = board(&key) {
            for entry in &row.moves {
                writeln!(out, "{board} {} {} {}", entry.m, entry.value, entry.depth)?;
            }
        }
        Ok::<_, DumpError>(())
    })?;
    snapshot.for_each_note(|key, placed| {
        let m = placed.m;
        if let (Some(board), Ok(note)) = (board(key), serde_json::to_string(&placed.into_note())) {
            writeln!(out, "{board} {m} note {note}")?;
        }
        Ok::<_, DumpError>(())
    })?;
    Ok(out.flush()?)
}

/// The number of bytes that are written to the file of a dump at once.
const BUFFER_SIZE: usize = 1 << 16;

#[derive(Debug, thiserror::Error)]
enum DumpError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Write(#[from] io::Error),
}
