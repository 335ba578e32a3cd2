//! `chuhe cloud query`, `queue`, `walk` and `worker`: with a library that is served.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::common::print;
use crate::board::{Move, Position};
use crate::cli::common::{Failure, GameArguments, columns, interrupts, terminal_width};
use crate::cloud::client::{Client, ClientError};
use crate::cloud::worker::{Employer, Remote, Worker, Workers};
use crate::movegen::is_legal;
use crate::notation::chinese;
use crate::tablebase::Tables;
use crate::text::excerpt;

/// How long a request may take.
const TIME: Duration = Duration::from_secs(10);
/// How often a worker without work asks for some.
const PAUSE: Duration = Duration::from_secs(3);

/// Which library.
#[derive(Debug, clap::Args)]
struct ServerArguments {
    /// The address of the library. A token may stand in it, as http://TOKEN@HOST, where others can see it.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8090")]
    url: String,
    /// A file with the token to show.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

impl ServerArguments {
    fn client(&self) -> Result<Client, Failure> {
        connect("--url", &self.url, self.token_file.as_deref())
    }
}

/// A client of the library at an address, which stands in an option of this name.
///
/// # Errors
/// The address makes no sense, or the token cannot be read.
fn connect(option: &str, url: &str, token_file: Option<&Path>) -> Result<Client, Failure> {
    let token = match token_file {
        None => None,
        Some(path) => {
            let text = std::fs::read_to_string(path);
            let text = text.map_err(|error| Failure::new(path.display(), error))?;
            Some(text.trim().to_owned())
        }
    };
    Client::new(url, token, TIME).map_err(|error| Failure::usage(option, error))
}

/// The reply to an action, in JSON.
fn ask(client: &Client, action: &str, board: &Position) -> Result<Value, Failure> {
    let fault = |error: &dyn std::fmt::Display| Failure::new(client.server(), error);
    let reply = client.ask(action, board, &[("json", "1")]);
    let reply = reply.map_err(|error| fault(&error))?;
    match serde_json::from_str::<Value>(&reply) {
        Ok(reply) if reply.is_object() => Ok(reply),
        _ => Err(fault(&ClientError::Reply(excerpt(&reply)))),
    }
}

/// Show what a library holds of a position.
#[derive(Debug, clap::Args)]
pub(super) struct QueryArguments {
    #[command(flatten)]
    game: GameArguments,
    #[command(flatten)]
    server: ServerArguments,
}

/// Ask a library to search a position. Fails where the library does not keep such positions.
#[derive(Debug, clap::Args)]
pub(super) struct QueueArguments {
    #[command(flatten)]
    game: GameArguments,
    #[command(flatten)]
    server: ServerArguments,
}

/// Follow the best moves of a library from a position.
#[derive(Debug, clap::Args)]
pub(super) struct WalkArguments {
    #[command(flatten)]
    game: GameArguments,
    #[command(flatten)]
    server: ServerArguments,
    /// Plies to go at most.
    #[arg(long, value_name = "N", default_value_t = 40)]
    plies: usize,
    /// Ask for the position at the end to be searched.
    #[arg(long)]
    queue: bool,
}

/// Search for a library on another machine; the token must allow to write. Ctrl-C ends the work and
/// gives back what is not done.
#[derive(Debug, clap::Args)]
pub(super) struct WorkerArguments {
    #[command(flatten)]
    server: ServerArguments,
    /// Threads that search, at low priority.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    threads: u8,
    /// Nodes to search for a score; four times as many to find moves.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
}

/// A known move as the library tells it.
struct Told {
    played: Move,
    score: String,
    note: String,
    rate: String,
}

/// What a library holds of a position.
enum Known {
    Moves(Vec<Told>),
    /// There are no moves: the position is not known, or the game is over.
    Nothing(&'static str),
}

/// What a library holds of a position.
///
/// # Errors
/// It does not answer, refuses, or answers what is no reply.
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

/// The moves of a reply; `None` where there are none, or where one is not legal.
fn moves(reply: &Value, position: &Position) -> Option<Vec<Told>> {
    let text = |value: &Value| match value {
        Value::String(text) => crate::text::printable(text),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    };
    let told = |entry: &Value| {
        let played: Move = entry["uci"].as_str()?.parse().ok()?;
        let is_legal = is_legal(position, played);
        is_legal.then(|| Told {
            played,
            score: text(&entry["score"]),
            note: text(&entry["note"]),
            rate: text(&entry["winrate"]),
        })
    };
    reply["moves"].as_array()?.iter().map(told).collect()
}

/// Shows what is known.
///
/// # Errors
/// The game cannot be played, or the library does not answer.
pub(super) fn query(arguments: &QueryArguments) -> Result<(), Failure> {
    let game = arguments.game.read()?;
    let client = arguments.server.client()?;
    let moves = match query_all(&client, game.position())? {
        Known::Moves(moves) => moves,
        Known::Nothing(state) => return print(&format!("{state}\n")),
    };
    let mut rows = vec![["move", "", "score", "note", "wins"].map(str::to_owned)];
    for told in moves {
        let name = chinese::write(game.position(), told.played);
        rows.push([
            told.played.to_string(),
            name,
            told.score,
            told.note,
            told.rate,
        ]);
    }
    print(&columns(&rows, terminal_width()))
}

/// Asks for a search.
///
/// # Errors
/// As [`query`], and where the library does not keep such positions.
pub(super) fn queue(arguments: &QueueArguments) -> Result<(), Failure> {
    let game = arguments.game.read()?;
    let client = arguments.server.client()?;
    ask_for_search(&client, game.position())
}

fn ask_for_search(client: &Client, position: &Position) -> Result<(), Failure> {
    let reply = ask(client, "queue", position)?;
    match reply["status"].as_str() {
        Some("ok") => print("the position is to be searched\n"),
        Some(status) => Err(Failure::new(client.server(), excerpt(status))),
        None => Err(Failure::new(
            client.server(),
            "the library does not keep such a position",
        )),
    }
}

/// Follows the best moves.
///
/// # Errors
/// As [`query`].
pub(super) fn walk(arguments: &WalkArguments) -> Result<(), Failure> {
    let mut game = arguments.game.read()?;
    let client = arguments.server.client()?;
    let mut rows = vec![["ply", "move", "", "score", "note", "known"].map(str::to_owned)];
    let mut failure = None;
    for ply in 1..=arguments.plies {
        let known = match query_all(&client, game.position()) {
            Ok(Known::Moves(known)) => known,
            Ok(Known::Nothing(state)) => {
                if ply == 1 {
                    print(&format!("{state}\n"))?;
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
        // The move has been found to be legal.
        if game.push(best.played).is_err() || game.occurrences() > 1 {
            break;
        }
    }
    if rows.len() > 1 {
        print(&columns(&rows, terminal_width()))?;
    }
    match failure {
        Some(failure) => Err(failure),
        None if arguments.queue => ask_for_search(&client, game.position()),
        None => Ok(()),
    }
}

/// Works for a library until Ctrl-C.
///
/// # Errors
/// The library cannot be reached or refuses the token, or there is no memory for a search.
pub(super) fn work(arguments: &WorkerArguments) -> Result<(), Failure> {
    let server = &arguments.server;
    work_for(&RemoteWork {
        option: "--url",
        url: &server.url,
        token_file: server.token_file.as_deref(),
        threads: arguments.threads,
        nodes: arguments.nodes,
        tables: Tables::embedded(),
    })
}

/// Work for a library on another machine.
pub(in crate::cli) struct RemoteWork<'a> {
    /// The option with the address.
    pub option: &'static str,
    /// The address of the library.
    pub url: &'a str,
    /// The file with the token to show.
    pub token_file: Option<&'a Path>,
    /// Threads that search, 1 or more.
    pub threads: u8,
    /// Nodes to search for a score.
    pub nodes: u64,
    /// Endgame tables for the search.
    pub tables: Arc<Tables>,
}

/// Works for a library until Ctrl-C.
///
/// # Errors
/// The library cannot be reached or refuses the token, or there is no memory for a search.
pub(in crate::cli) fn work_for(work: &RemoteWork<'_>) -> Result<(), Failure> {
    let client = connect(work.option, work.url, work.token_file)?;
    let server = client.server().to_owned();
    let fault = |error: &dyn std::fmt::Display| Failure::new(&server, error);
    let interrupts = interrupts()?;
    let remote = Remote(client);
    remote.greet().map_err(|error| fault(&error))?;
    let employer: Arc<dyn Employer> = Arc::new(remote);
    let start = |_| Worker::start(employer.clone(), work.tables.clone(), work.nodes, PAUSE);
    let workers: Result<Vec<Worker>, _> = (0..work.threads).map(start).collect();
    let workers = workers.map_err(|error| fault(&error))?;
    print(&format!("working for {server}\n"))?;
    // Where the handler is gone, no signal can come any more.
    let _ = interrupts.recv();
    drop(Workers::from(workers));
    Ok(())
}
