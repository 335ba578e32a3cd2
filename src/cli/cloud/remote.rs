//! `chuhe cloud query`, `queue`, `walk`, `worker` and `copy`: requests to a server.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};
use serde_json::Value;

use super::import::WRITER;
use super::library::note_left_out;
use crate::board::{Move, Position};
use crate::cli::common::{
    Context, Failure, GameArguments, Unread, columns, heads, interrupts, note, open_input, print,
    print_text, read_small_text, terminal_width,
};
use crate::cli::serve::{NODES, print_errors};
use crate::cloud::client::{Client, ClientError, TIMEOUT};
use crate::cloud::key::{Key, View};
use crate::cloud::score::{is_in_range, value_after};
use crate::cloud::store::{Location, NewScore, Store, StoreError, is_eligible};
use crate::cloud::worker::{Workers, check_access};
use crate::cloud::{Edge, fen};
use crate::movegen::{has_legal_move, is_legal};
use crate::notation::chinese;
use crate::notation::records::RecordReader;
use crate::tablebase::Tables;
use crate::text::{counted, excerpt, printable, without_byte_order_mark};

/// Time after which an idle worker asks for tasks again.
const PAUSE: Duration = Duration::from_secs(3);

#[derive(Debug, clap::Args)]
struct ServerArguments {
    /// Address of the library. It may contain a token, as in http://TOKEN@HOST, but then other users of this machine
    /// can see the token.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8090")]
    url: String,
    /// File that contains the token.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

impl ServerArguments {
    fn client(&self) -> Result<Client, Failure> {
        let token = self.token_file.as_deref().map(read_token).transpose()?;
        Client::new(&self.url, token).map_err(|error| Failure::usage("--url", error))
    }
}

/// Reads a file that contains only a token, unlike that of `chuhe serve --tokens`.
fn read_token(file: &Path) -> Result<String, Failure> {
    let text = read_small_text(file)?;
    let mut words = without_byte_order_mark(&text).split_whitespace();
    let is_printable = |token: &&str| token.bytes().all(|byte| byte.is_ascii_graphic());
    match (words.next().filter(is_printable), words.next()) {
        (Some(token), None) => Ok(token.to_owned()),
        _ => Err(Failure::new(file.display(), "expected only a token")),
    }
}

/// Sends a request and parses the JSON reply.
fn ask(client: &Client, action: &str, board: &Position) -> Result<Value, ClientError> {
    let reply = client.ask(action, board, &[("json", "1")], TIMEOUT)?;
    match serde_json::from_str::<Value>(&reply) {
        Ok(reply) if reply.is_object() => Ok(reply),
        _ => Err(ClientError::Reply(excerpt(&reply))),
    }
}

#[derive(Debug, clap::Args)]
pub struct PositionArguments {
    #[command(flatten)]
    game: GameArguments,
    #[command(flatten)]
    server: ServerArguments,
}

/// Follow the best known moves from a position.
#[derive(Debug, clap::Args)]
pub struct WalkArguments {
    #[command(flatten)]
    position: PositionArguments,
    /// Maximum number of plies.
    #[arg(long, value_name = "N", default_value_t = 40)]
    plies: usize,
    /// Request a search of the last position.
    #[arg(long)]
    queue: bool,
}

/// Work on the search tasks of a library on another machine.
///
/// Needs a token with the role write. Ctrl-C returns unfinished tasks and exits.
#[derive(Debug, clap::Args)]
pub struct WorkerArguments {
    #[command(flatten)]
    server: ServerArguments,
    /// Number of search threads, at low priority.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    threads: u8,
    /// Nodes to score a move. A search that finds the moves of a position has four times as many.
    #[arg(long, value_name = "N", default_value_t = NODES, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
}

/// A known move, with its score, note and winning rate as text.
struct MoveRow {
    played: Move,
    score: String,
    note: String,
    rate: String,
}

/// The reply to `queryall`.
enum Known {
    Moves(Vec<MoveRow>),
    /// `unknown`, `checkmate` or `stalemate`.
    Nothing(&'static str),
}

fn query_all(client: &Client, position: &Position) -> Result<Known, Failure> {
    let reply = ask(client, "queryall", position).context(client.server())?;
    if let Some(moves) = moves(&reply, position) {
        return Ok(Known::Moves(moves));
    }
    let status = reply["status"].as_str().filter(|status| *status != "ok");
    let states = ["unknown", "checkmate", "stalemate"];
    if let Some(state) = states.into_iter().find(|state| status == Some(*state)) {
        return Ok(Known::Nothing(state));
    }
    Err(Failure::new(
        client.server(),
        match status {
            Some(status) => excerpt(status),
            None => ClientError::Reply(excerpt(&reply.to_string())).to_string(),
        },
    ))
}

/// The moves of a reply; `None` if the list is missing or a move is illegal.
fn moves(reply: &Value, position: &Position) -> Option<Vec<MoveRow>> {
    let text = |value: &Value| match value {
        Value::String(text) => printable(text),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    };
    let row = |entry: &Value| {
        let played: Move = entry["uci"].as_str()?.parse().ok()?;
        is_legal(position, played).then(|| MoveRow {
            played,
            score: text(&entry["score"]),
            note: text(&entry["note"]),
            rate: text(&entry["winrate"]),
        })
    };
    reply["moves"].as_array()?.iter().map(row).collect()
}

pub fn query(arguments: &PositionArguments) -> Result<(), Failure> {
    let game = arguments.game.read()?;
    let client = arguments.server.client()?;
    let moves = match query_all(&client, game.position())? {
        Known::Moves(moves) => moves,
        Known::Nothing(state) => return print_text(&format!("{state}\n")),
    };
    let mut rows = vec![heads(["move", "", "score", "note", "wins"])];
    for known in moves {
        rows.push([
            known.played.to_string(),
            chinese::write(game.position(), known.played),
            known.score,
            known.note,
            known.rate,
        ]);
    }
    print(&columns(&rows, terminal_width()))
}

pub fn queue(arguments: &PositionArguments) -> Result<(), Failure> {
    let game = arguments.game.read()?;
    let client = arguments.server.client()?;
    request_search(&client, game.position())
}

fn request_search(client: &Client, position: &Position) -> Result<(), Failure> {
    let reply = ask(client, "queue", position).context(client.server())?;
    match reply["status"].as_str() {
        Some("ok") => print_text("search requested\n"),
        Some(status) => Err(Failure::new(client.server(), excerpt(status))),
        None => Err(Failure::new(
            client.server(),
            if !has_legal_move(position) {
                "the position has no legal move"
            } else if !is_eligible(position) {
                "the library does not search positions with so few pieces"
            } else {
                "the library does not accept the request; its queue may be full"
            },
        )),
    }
}

pub fn walk(arguments: &WalkArguments) -> Result<(), Failure> {
    let mut game = arguments.position.game.read()?;
    let client = arguments.position.server.client()?;
    let mut rows = vec![heads(["ply", "move", "", "score", "note", "known"])];
    let mut failure = None;
    for ply in 1..=arguments.plies {
        let known = match query_all(&client, game.position()) {
            Ok(Known::Moves(known)) => known,
            Ok(Known::Nothing(state)) => {
                if ply == 1 {
                    print_text(&format!("{state}\n"))?;
                }
                break;
            }
            Err(error) => {
                failure = Some(error);
                break;
            }
        };
        let Some(best) = known.first() else {
            break;
        };
        rows.push([
            ply.to_string(),
            best.played.to_string(),
            chinese::write(game.position(), best.played),
            best.score.clone(),
            best.note.clone(),
            known.len().to_string(),
        ]);
        // The move is legal, so only repetitions end the walk here.
        if game.push(best.played).is_err() || game.occurrences() > 1 {
            break;
        }
    }
    if rows.len() > 1 {
        print(&columns(&rows, terminal_width()))?;
    }
    match failure {
        Some(failure) => Err(failure),
        None if arguments.queue => request_search(&client, game.position()),
        None => Ok(()),
    }
}

pub fn work(arguments: &WorkerArguments) -> Result<(), Failure> {
    print_errors();
    let client = arguments.server.client()?;
    let server = client.server().to_owned();
    let interrupts = interrupts()?;
    let tablebases = Tables::embedded();
    check_access(&client).map_err(|error| match error {
        ClientError::Reply(_) | ClientError::Status(404 | 405) => {
            let hint = "workers need a library of `chuhe serve`";
            Failure::new(&server, format_args!("{error}; {hint}"))
        }
        _ => Failure::new(&server, error),
    })?;
    let (threads, nodes) = (arguments.threads, arguments.nodes);
    let workers = Workers::start(threads, Arc::new(client), &tablebases, nodes, PAUSE);
    let workers = workers.context(&server)?;
    print_text(&format!("working for {server}\n"))?;
    // An error would mean that the signal handler was removed, so that no signal can arrive.
    let _ = interrupts.recv();
    drop(workers);
    Ok(())
}

/// Copy the known moves of positions from another cloud library: `chuhe serve`, or a server with the same API.
///
/// The positions are those of games or FEN lists. Positions that the library already knows are skipped, so the same
/// command continues after an interruption. Scores are written with an unknown depth. A score that the library already
/// has is kept.
#[derive(Debug, clap::Args)]
pub struct CopyArguments {
    /// Library file or database; created if missing.
    library: Location,
    /// Game records, or lists with one FEN or EPD per line.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    server: ServerArguments,
    /// Maximum number of requests per second.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=1000))]
    rate: u16,
    /// Maximum number of plies per game.
    #[arg(long, value_name = "N", default_value_t = 40)]
    max_ply: usize,
}

/// Pause after `rate limit exceeded` or a failed request.
const RETRY_PAUSE: Duration = Duration::from_secs(10);
/// Number of temporary errors for one position after which the command fails; any other error ends it at once.
/// `rate limit exceeded` does not count.
const MAX_FAILURES: u32 = 5;

#[derive(Default)]
struct CopyCounts {
    skipped: usize,
    requests: usize,
    unknown: usize,
    written: usize,
}

pub fn copy(arguments: &CopyArguments) -> Result<(), Failure> {
    let client = arguments.server.client()?;
    let (mut positions, unread) = read_positions(&arguments.files, arguments.max_ply)?;
    if positions.is_empty() {
        // The errors end the command before it creates the library.
        unread.finish("cloud copy")?;
    }
    let store = Store::open_at(&arguments.library);
    let store = store.context(&arguments.library)?;
    let read = positions.len();
    positions.retain(fen::is_storable);
    note_left_out(read - positions.len());
    let interrupts = interrupts()?;
    let mut pace = Pace {
        interval: Duration::from_secs(1) / u32::from(arguments.rate),
        retry_pause: RETRY_PAUSE,
        next: Instant::now(),
        interrupts,
    };
    let mut counts = CopyCounts::default();
    let result = copy_all(&client, &store, &positions, &mut pace, &mut counts);
    print_text(&format!(
        "{}: {} already in the library, {}, {} unknown to the server; {} written\n",
        counted(positions.len(), "position"),
        counts.skipped,
        counted(counts.requests, "request"),
        counts.unknown,
        counted(counts.written, "move")
    ))?;
    if result? { unread.finish("cloud copy") } else { Err(Failure::interrupted()) }
}

/// The distinct positions of lists and of the first `plies` plies of main lines, in order, without those that have no
/// legal move. Also returns what could not be read.
fn read_positions(files: &[PathBuf], plies: usize) -> Result<(Vec<Position>, Unread), Failure> {
    let (mut found, mut seen): (_, HashSet<Key>) = (Vec::new(), HashSet::new());
    let mut add = |position: &Position| {
        if has_legal_move(position) && seen.insert(View::of(position).key) {
            found.push(position.clone());
        }
    };
    let mut unread = Unread::default();
    unread.each_file(files, |unread, path| {
        let games = open_input(path).and_then(RecordReader::new);
        let games = games.context(path.display())?;
        let read = unread.read_games(path, games, |_, game| {
            let line = game.main_line();
            let mut position = line.start;
            add(&position);
            for played in line.moves.into_iter().take(plies) {
                position.make(played);
                add(&position);
            }
            Ok::<_, io::Error>(())
        });
        read.context(path.display())
    })?;
    Ok((found, unread))
}

/// Copies the moves of positions. Returns `false` after Ctrl-C.
fn copy_all(
    client: &Client,
    store: &Store,
    positions: &[Position],
    pace: &mut Pace,
    counts: &mut CopyCounts,
) -> Result<bool, Failure> {
    let library = "the library";
    for position in positions {
        let key = View::of(position).key;
        let known = store.read(|snapshot| snapshot.contains(&key));
        if known.context(library)? {
            counts.skipped += 1;
            continue;
        }
        let mut failures = 0;
        let scores = loop {
            if !pace.wait() {
                return Ok(false);
            }
            counts.requests += 1;
            match known_scores(client, position) {
                Ok(Some(scores)) => break scores,
                Ok(None) => {}
                Err(error) if error.is_temporary() && failures + 1 < MAX_FAILURES => {
                    note(&format!("{}: {error}", client.server()));
                    failures += 1;
                }
                Err(error) => return Err(Failure::new(client.server(), error)),
            }
            pace.next += pace.retry_pause;
        };
        counts.unknown += usize::from(scores.is_empty());
        let written = store.write(move |batch| {
            let mut written = 0;
            for score in &scores {
                written += usize::from(batch.merge(score)?);
            }
            Ok::<_, StoreError>(written)
        });
        counts.written += written.context(library)?;
    }
    Ok(true)
}

/// Asks for the scores of the known moves of a position. Returns an empty list if it is unknown or invalid or has no
/// legal move, `None` if the rate limit is exceeded.
fn known_scores(
    client: &Client,
    position: &Position,
) -> Result<Option<Vec<NewScore>>, ClientError> {
    let reply = ask(client, "queryall", position)?;
    let invalid = || ClientError::Reply(excerpt(&reply.to_string()));
    match reply["status"].as_str() {
        Some("ok") => {}
        Some("unknown" | "checkmate" | "stalemate" | "invalid board") => {
            return Ok(Some(Vec::new()));
        }
        Some("rate limit exceeded") => return Ok(None),
        _ => return Err(invalid()),
    }
    let view = View::of(position);
    let score = |row: MoveRow| {
        let score = row.score.parse::<i32>().ok();
        let score = score.filter(|score| is_in_range(*score))?;
        let edge = Edge::of(position, &view, row.played);
        Some(NewScore::new(edge, value_after(score), 0, WRITER))
    };
    let moves = moves(&reply, position).ok_or_else(invalid)?;
    Ok(Some(moves.into_iter().filter_map(score).collect()))
}

/// Limits the rate of requests.
struct Pace {
    interval: Duration,
    /// Additional pause before a request is repeated.
    retry_pause: Duration,
    /// Time of the next request.
    next: Instant,
    interrupts: Receiver<()>,
}

impl Pace {
    /// Waits until the next request may be sent; returns `false` after Ctrl-C.
    fn wait(&mut self) -> bool {
        let now = Instant::now();
        let received = self.interrupts.recv_deadline(self.next.max(now));
        self.next = self.next.max(now) + self.interval;
        received == Err(RecvTimeoutError::Timeout)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    /// A client of a server that sends these replies and then stops.
    fn replying(replies: Vec<(u16, &'static str)>) -> Client {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for (status, text) in replies {
                let (mut stream, _) = listener.accept().unwrap();
                let _ = stream.read(&mut [0; 4096]);
                let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n", text.len());
                let reply = format!("{head}Connection: close\r\n\r\n{text}");
                stream.write_all(reply.as_bytes()).unwrap();
            }
        });
        Client::new(&url, None).unwrap()
    }

    #[test]
    fn temporary_errors_are_retried() {
        let busy = (503, "{\"status\":\"Memcache error.\"}");
        let limited = (200, "{\"status\":\"rate limit exceeded\"}");
        let unknown = (200, "{\"status\":\"unknown\"}");
        let [cut, bad_gateway, too_many] = [(200, "{"), (502, "<html>"), (429, "")];
        let retried = vec![busy, cut, limited, bad_gateway, too_many, unknown];
        for (replies, copied) in [
            (retried, true),
            (vec![busy; 5], false),
            (vec![(404, "")], false),
            (vec![(200, "{\"status\":\"tokenerror\"}")], false),
        ] {
            let directory = tempfile::tempdir().unwrap();
            let store = Store::open(&directory.path().join("library.db")).unwrap();
            let (_sender, interrupts) = crossbeam_channel::unbounded();
            let mut pace = Pace {
                interval: Duration::ZERO,
                retry_pause: Duration::ZERO,
                next: Instant::now(),
                interrupts,
            };
            let (expected, client) = (replies.len(), replying(replies));
            let mut counts = CopyCounts::default();
            let positions = [Position::startpos()];
            let result = copy_all(&client, &store, &positions, &mut pace, &mut counts);
            assert_eq!((result.is_ok(), counts.requests), (copied, expected));
        }
    }
}
