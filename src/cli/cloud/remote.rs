//! `chuhe cloud query`, `queue`, `walk` and `worker`: requests to a server.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::board::{Move, Position};
use crate::cli::common::{
    Context, Failure, GameArguments, columns, heads, interrupts, print, print_text,
    read_small_text, terminal_width,
};
use crate::cloud::client::{Client, ClientError};
use crate::cloud::worker::{RemoteLibrary, Workers};
use crate::movegen::is_legal;
use crate::notation::chinese;
use crate::tablebase::Tables;
use crate::text::excerpt;

/// Timeout of a request.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How often an idle worker asks for tasks.
const PAUSE: Duration = Duration::from_secs(3);

#[derive(Debug, clap::Args)]
pub struct ServerArguments {
    /// Address of the library. It may contain a token, as in http://TOKEN@HOST, but other users of this machine can
    /// see that.
    #[arg(
        long,
        alias = "from",
        value_name = "URL",
        default_value = "http://127.0.0.1:8090"
    )]
    url: String,
    /// File that contains the token.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

impl ServerArguments {
    pub fn client(&self) -> Result<Client, Failure> {
        let token = match &self.token_file {
            None => None,
            Some(path) => Some(read_small_text(path)?.trim().to_owned()),
        };
        Client::new(&self.url, token, TIMEOUT).map_err(|error| Failure::usage("--url", error))
    }
}

/// Sends a request and parses the JSON reply.
fn ask(client: &Client, action: &str, board: &Position) -> Result<Value, Failure> {
    let reply = client.ask(action, board, &[("json", "1")]);
    let reply = reply.context(client.server())?;
    match serde_json::from_str::<Value>(&reply) {
        Ok(reply) if reply.is_object() => Ok(reply),
        _ => Err(ClientError::Reply(excerpt(&reply))).context(client.server()),
    }
}

/// Show the known moves of a position.
#[derive(Debug, clap::Args)]
pub struct QueryArguments {
    #[command(flatten)]
    game: GameArguments,
    #[command(flatten)]
    server: ServerArguments,
}

/// Request a search of a position. Fails for positions with so few pieces that the library does not search them.
#[derive(Debug, clap::Args)]
pub struct QueueArguments {
    #[command(flatten)]
    game: GameArguments,
    #[command(flatten)]
    server: ServerArguments,
}

/// Follow the best known moves from a position.
#[derive(Debug, clap::Args)]
pub struct WalkArguments {
    #[command(flatten)]
    game: GameArguments,
    #[command(flatten)]
    server: ServerArguments,
    /// Maximum number of plies.
    #[arg(long, value_name = "N", default_value_t = 40)]
    plies: usize,
    /// Request a search of the last position.
    #[arg(long)]
    queue: bool,
}

/// Search tasks of a library on another machine. Needs a token with the role write. Ctrl-C returns unfinished tasks
/// and exits.
#[derive(Debug, clap::Args)]
pub struct WorkerArguments {
    #[command(flatten)]
    server: ServerArguments,
    /// Number of search threads, at low priority.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    threads: u8,
    /// Nodes per score; finding moves takes four times as many.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
}

/// A known move, ready to print.
pub struct MoveRow {
    pub played: Move,
    pub score: String,
    note: String,
    rate: String,
}

/// The reply to `queryall`.
enum Known {
    Moves(Vec<MoveRow>),
    /// `unknown`, `checkmate` or `stalemate`.
    Nothing(&'static str),
}

/// Asks for the known moves of a position.
fn query_all(client: &Client, position: &Position) -> Result<Known, Failure> {
    let reply = ask(client, "queryall", position)?;
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
pub fn moves(reply: &Value, position: &Position) -> Option<Vec<MoveRow>> {
    let text = |value: &Value| match value {
        Value::String(text) => crate::text::printable(text),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    };
    let row = |entry: &Value| {
        let played: Move = entry["uci"].as_str()?.parse().ok()?;
        let is_legal = is_legal(position, played);
        is_legal.then(|| MoveRow {
            played,
            score: text(&entry["score"]),
            note: text(&entry["note"]),
            rate: text(&entry["winrate"]),
        })
    };
    reply["moves"].as_array()?.iter().map(row).collect()
}

pub fn query(arguments: &QueryArguments) -> Result<(), Failure> {
    let game = arguments.game.read()?;
    let client = arguments.server.client()?;
    let moves = match query_all(&client, game.position())? {
        Known::Moves(moves) => moves,
        Known::Nothing(state) => return print_text(&format!("{state}\n")),
    };
    let mut rows = vec![heads(["move", "", "score", "note", "wins"])];
    for known in moves {
        let name = chinese::write(game.position(), known.played);
        rows.push([
            known.played.to_string(),
            name,
            known.score,
            known.note,
            known.rate,
        ]);
    }
    print(&columns(&rows, terminal_width()))
}

pub fn queue(arguments: &QueueArguments) -> Result<(), Failure> {
    let game = arguments.game.read()?;
    let client = arguments.server.client()?;
    request_search(&client, game.position())
}

fn request_search(client: &Client, position: &Position) -> Result<(), Failure> {
    let reply = ask(client, "queue", position)?;
    match reply["status"].as_str() {
        Some("ok") => print_text("search requested\n"),
        Some(status) => Err(Failure::new(client.server(), excerpt(status))),
        None => Err(Failure::new(
            client.server(),
            "the library does not search positions with so few pieces",
        )),
    }
}

pub fn walk(arguments: &WalkArguments) -> Result<(), Failure> {
    let mut game = arguments.game.read()?;
    let client = arguments.server.client()?;
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
        let name = chinese::write(game.position(), best.played);
        let (score, note) = (best.score.clone(), best.note.clone());
        rows.push([
            ply.to_string(),
            best.played.to_string(),
            name,
            score,
            note,
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
    let client = arguments.server.client()?;
    let server = client.server().to_owned();
    let interrupts = interrupts()?;
    let tables = Tables::embedded();
    let remote = RemoteLibrary(client);
    remote.check_access().context(&server)?;
    let workers = Workers::start(arguments.threads, remote, &tables, arguments.nodes, PAUSE)
        .context(&server)?;
    print_text(&format!("working for {server}\n"))?;
    // An error means that the signal handler is gone; then no signal can arrive.
    let _ = interrupts.recv();
    drop(workers);
    Ok(())
}
