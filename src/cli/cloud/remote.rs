//! `chuhe cloud query`, `queue`, `walk` and `worker`: with a library that is served.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::common::print;
use crate::board::{Move, Position};
use crate::cli::common::Failure;
use crate::cli::common::columns::columns;
use crate::cli::common::game_arguments::GameArguments;
use crate::cli::common::interrupt::interrupts;
use crate::cloud::client::Client;
use crate::cloud::worker::{Employer, Remote, Worker};
use crate::movegen::is_legal;
use crate::notation::chinese;
use crate::tablebase::Tables;

/// How long a request may take.
const TIME: Duration = Duration::from_secs(10);
/// How often a worker without work asks for some.
const PAUSE: Duration = Duration::from_secs(3);

/// Which library.
#[derive(Debug, clap::Args)]
struct ServerArguments {
    /// The address of the library.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8090")]
    url: String,
    /// A file with the token to show.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

impl ServerArguments {
    fn client(&self) -> Result<Client, Failure> {
        let token = match &self.token_file {
            None => None,
            Some(path) => {
                let text = std::fs::read_to_string(path);
                let text = text.map_err(|error| Failure::new(path.display(), error))?;
                Some(text.trim().to_owned())
            }
        };
        Client::new(&self.url, token, TIME).map_err(|error| Failure::usage("--url", error))
    }

    /// The reply to an action, in JSON.
    fn ask(&self, client: &Client, action: &str, board: &Position) -> Result<Value, Failure> {
        let fault = |error: &dyn std::fmt::Display| Failure::new(&self.url, error);
        let reply = client
            .ask(action, board, &[("json", "1")])
            .map_err(|error| fault(&error))?;
        serde_json::from_str(&reply).map_err(|error| fault(&error))
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

/// The moves of a reply; the status where there are none.
fn moves(reply: &Value, position: &Position) -> Result<Vec<Told>, String> {
    let text = |value: &Value| match value {
        Value::String(text) => crate::text::printable(text),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    };
    let Some(list) = reply["moves"].as_array() else {
        return Err(text(&reply["status"]));
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
    Ok(list.iter().filter_map(told).collect())
}

/// Shows what is known.
///
/// # Errors
/// The game cannot be played, or the library does not answer.
pub(super) fn query(arguments: &QueryArguments) -> Result<(), Failure> {
    let game = arguments.game.read()?;
    let client = arguments.server.client()?;
    let reply = arguments.server.ask(&client, "queryall", game.position())?;
    let moves = match moves(&reply, game.position()) {
        Ok(moves) => moves,
        Err(status) => return print(&format!("{status}\n")),
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
    print(&columns(&rows))
}

/// Asks for a search.
///
/// # Errors
/// As [`query`], and where the library does not keep such positions.
pub(super) fn queue(arguments: &QueueArguments) -> Result<(), Failure> {
    let game = arguments.game.read()?;
    let client = arguments.server.client()?;
    ask_for_search(&arguments.server, &client, game.position())
}

fn ask_for_search(
    server: &ServerArguments,
    client: &Client,
    position: &Position,
) -> Result<(), Failure> {
    let reply = server.ask(client, "queue", position)?;
    match reply["status"].as_str() {
        Some("ok") => print("the position is to be searched\n"),
        Some(status) => Err(Failure::new(&server.url, crate::text::printable(status))),
        None => Err(Failure::new(
            &server.url,
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
    for ply in 1..=arguments.plies {
        let reply = arguments.server.ask(&client, "queryall", game.position())?;
        let known = match moves(&reply, game.position()) {
            Ok(known) => known,
            Err(status) => {
                if ply == 1 {
                    print(&format!("{status}\n"))?;
                }
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
        print(&columns(&rows))?;
    }
    match arguments.queue {
        true => ask_for_search(&arguments.server, &client, game.position()),
        false => Ok(()),
    }
}

/// Works for a library until Ctrl-C.
///
/// # Errors
/// The library cannot be reached or refuses the token, or there is no memory for a search.
pub(super) fn work(arguments: &WorkerArguments) -> Result<(), Failure> {
    let fault = |error: &dyn std::fmt::Display| Failure::new(&arguments.server.url, error);
    let interrupts = interrupts()?;
    let remote = Remote(arguments.server.client()?);
    remote.greet().map_err(|error| fault(&error))?;
    let employer: Arc<dyn Employer> = Arc::new(remote);
    let start = |_| Worker::start(employer.clone(), Tables::embedded(), arguments.nodes, PAUSE);
    let workers: Result<Vec<Worker>, _> = (0..arguments.threads).map(start).collect();
    let workers = workers.map_err(|error| fault(&error))?;
    print(&format!("working for {}\n", arguments.server.url))?;
    // Where the handler is gone, no signal can come any more.
    let _ = interrupts.recv();
    drop(workers);
    Ok(())
}
