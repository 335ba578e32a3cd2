//! Checks of what real clients send or expect although the protocols do not define it. An engine that only ignores or
//! refuses such lines does not violate its protocol, but cannot be used with these clients.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, io};

use super::dialogue::{
    CheckResult, Dialogue, SHORT_SEARCH, is_outcome, set_startpos, tolerated, unclear,
    unclear_unless,
};
use super::search::{CHECKMATE, plays_from};
use super::session::{go_infinite, searches_for, stops_with_one_move};
use crate::board::{Move, Position};
use crate::book::{BookMove, BookTable, encode_dat};
use crate::movegen::legal_moves;
use crate::notation::fen::START;
use crate::text::path_in_gbk;
use crate::tournament::engine::{find_offer, offered_options};

/// Two rooks more than a set has, as in some compositions.
const MANY_PIECES: &str = "4k4/4a4/9/9/9/9/9/RRRR5/9/3K5 w - - 0 1";
/// The number of legal moves of the starting position.
const START_MOVES: usize = 44;

/// Sends a line that sets `position`, and checks that the engine plays a legal move in it.
fn plays_after(engine: &mut Dialogue<'_>, line: &str, position: &Position) -> CheckResult {
    engine.send(line);
    engine.plays("go depth 2", position).map(|_| ())
}

pub fn joined_fields(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = set_startpos(engine)?;
    let board = START.split(' ').next().unwrap_or_default();
    for fields in ["-- 0 1", "- - -1 1", "KQkq - 0 1;"] {
        let line = format!("position fen {board} w {fields}");
        let result = plays_after(engine, &line, &position);
        tolerated(result, "gmchess and others write FENs like this")?;
    }
    Ok(())
}

pub fn moves_after_the_board(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = set_startpos(engine)?;
    // Some clients send the board after the moves together with these moves, which are then illegal. Here the illegal
    // move is a rook that captures its own pawn.
    let line = format!("position fen {START} moves {}", engine.illegal_move());
    let result = plays_after(engine, &line, &position);
    tolerated(result, "pikafish_terminal sends the current board with moves already played")
}

pub fn many_pieces(engine: &mut Dialogue<'_>) -> CheckResult {
    engine.initialize()?;
    let result = plays_from(engine, MANY_PIECES, "go depth 2");
    tolerated(result, "compositions may have more pieces than a set")
}

pub fn option_during_search(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = go_infinite(engine)?;
    let protocol = engine.protocol();
    let line = protocol.set_option(protocol.hash_option(), "16");
    engine.send(&line);
    let searched = searches_for(engine, Duration::from_millis(100));
    let result = searched.and_then(|()| stops_with_one_move(engine, &position));
    // An exit remains a violation.
    if engine.process.has_ended(Duration::ZERO) {
        return result;
    }
    tolerated(result, "some clients send options during a search")
}

pub fn position_during_search(engine: &mut Dialogue<'_>) -> CheckResult {
    let mut position = go_infinite(engine)?;
    engine.lines_within(Duration::from_millis(100))?;
    let Some(&played) = legal_moves(&position).first() else {
        return Ok(());
    };
    position.make(played);
    engine.position(START, &[played]);
    engine.send("go depth 2");
    let deadline = Instant::now() + 2 * engine.timeouts.response;
    // The first search may be answered as well.
    while let Some(line) = engine.line_before(deadline)? {
        if is_outcome(&line) && engine.legal_move(&position, &[line]).is_ok() {
            return Ok(());
        }
    }
    unclear("it ignores position and go during a search; VinXiangQi sends no stop before them")
}

pub fn words_of_the_handshake(engine: &mut Dialogue<'_>) -> CheckResult {
    let lines = engine.handshake()?;
    let has_word = |line: &&String| line.contains("draw") || line.contains("resign");
    match lines.iter().find(has_word) {
        Some(line) => unclear(format!(
            "gmchess takes the words draw and resign in {line:?} for the end of the game"
        )),
        None => Ok(()),
    }
}

pub fn single_spaces(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = set_startpos(engine)?;
    engine.plays("go depth 4", &position)?;
    match &engine.misspaced {
        Some(line) => unclear(format!(
            "{line:?} has white space other than single spaces between words; some clients do not read it"
        )),
        None => Ok(()),
    }
}

pub fn legal_move_list(engine: &mut Dialogue<'_>) -> CheckResult {
    set_startpos(engine)?;
    engine.send("go perft 1");
    let deadline = Instant::now() + engine.timeouts.response;
    let is_count = |line: &str| line.trim_end().ends_with(": 1");
    let mut listed = 0;
    while listed < START_MOVES {
        match engine.line_before(deadline)? {
            // An engine without `perft` may search instead and answer with a move.
            Some(line) if !is_outcome(&line) => listed += usize::from(is_count(&line)),
            _ => break,
        }
    }
    // More lines would be illegal moves.
    let rest = engine.lines_within(Duration::from_millis(100))?;
    listed += rest.iter().filter(|line| is_count(line)).count();
    unclear_unless(
        listed == START_MOVES,
        "go perft 1 does not list the legal moves, although some clients rely on it",
    )
}

pub fn book_at_gbk_path(engine: &mut Dialogue<'_>) -> CheckResult {
    let offered = offered_options(&engine.initialize()?);
    if find_offer(&offered, "bookfiles").is_none() {
        return Ok(());
    }
    // A move that no engine plays without a book.
    let played: Move = "a0a1".parse().unwrap_or(Move::NONE);
    let book = tempfile::tempdir().and_then(|directory| {
        let path = write_book(directory.path(), played)?;
        Ok((directory, path))
    });
    let (_directory, path) = match book {
        Ok(book) => book,
        Err(error) => return unclear(format!("the book cannot be written: {error}")),
    };
    let protocol = engine.protocol();
    engine.send_gbk(&protocol.set_option("bookfiles", &path));
    engine.send(&protocol.set_option("usebook", "true"));
    engine.sync()?;
    engine.position(START, &[]);
    // An engine may ignore its book in analysis, for example with `go depth`.
    let go = format!("go {}", engine.clock(Duration::from_secs(10)));
    let (answer, _) = engine.plays(&go, &Position::startpos())?;
    unclear_unless(
        [played, played.flip_file()].contains(&answer),
        format!("it does not read the book at {path:?}; 象棋巫师 sends paths in GBK"),
    )
}

/// Writes a book with one move of the starting position into a new directory. The names of the directory and of the
/// file are encoded in GBK. Returns the path as text.
fn write_book(directory: &Path, played: Move) -> io::Result<String> {
    let mut table = BookTable::default();
    table.add(&Position::startpos(), BookMove::new(played, 1));
    let (folder, file) = ("象棋引擎", "开局库.DAT");
    let folder_path = directory.join(path_in_gbk(folder));
    fs::create_dir(&folder_path)?;
    let book = encode_dat(table.entries()).bytes;
    fs::write(folder_path.join(path_in_gbk(file)), book)?;
    let separator = std::path::MAIN_SEPARATOR;
    let directory = directory.display();
    Ok(format!("{directory}{separator}{folder}{separator}{file}"))
}

pub fn score_without_moves(engine: &mut Dialogue<'_>) -> CheckResult {
    engine.initialize()?;
    engine.position(CHECKMATE, &[]);
    engine.send("go depth 3");
    let lines = engine.outcome(SHORT_SEARCH)?;
    let has_score = lines.iter().any(|line| line.contains(" score mate 0"));
    unclear_unless(
        has_score,
        "no line contains score mate 0, by which clients recognize that the side to move is mated",
    )
}
