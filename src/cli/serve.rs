//! `chuhe serve`: the cloud library as a server.

use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::common::Failure;
use super::common::interrupt::interrupts;
use crate::cloud::access::{Role, Tokens};
use crate::cloud::library::{Library, LibraryOptions};
use crate::cloud::server::{Server, ServerOptions};
use crate::cloud::store::Store;
use crate::cloud::worker::{Employer, Local, Worker};
use crate::tablebase::Tables;

/// Keep a cloud library (云库) of your own: answer the cloud API over HTTP, at /chessdb.php.
///
/// The library is one file, which is made where there is none. Endgame tables answer before it. The numbers of the
/// server stand at /metrics. Ctrl-C or SIGTERM ends the server once the requests under way are answered.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The file of the library.
    library: PathBuf,
    /// Address and port to listen on; port 0 takes a free one, which is told.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8090")]
    listen: SocketAddr,
    /// Tokens and what they allow, a line each: role (read, queue, write), name, token.
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,
    /// What those may do who show no token: none, read, queue (have positions searched), write (scores).
    #[arg(long, value_name = "ROLE", default_value = "queue", value_parser = parse_role)]
    anonymous: Role,
    /// Look-ups a second that an address may make [default: 100, and no limit for this machine].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rate: Option<u32>,
    /// A proxy whose header X-Forwarded-For is believed; may be given several times.
    #[arg(long, value_name = "ADDRESS")]
    proxy: Vec<IpAddr>,
    /// Connections at a time; one address may have half of them.
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u16).range(2..))]
    connections: u16,
    /// Threads that answer requests.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..=64))]
    threads: u8,
    /// Moves below a position that must be known before query and its like answer with one.
    #[arg(long, value_name = "N", default_value_t = LibraryOptions::default().least_visits)]
    min_visits: usize,
    /// Threads at low priority that search what the library is asked for.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=64))]
    workers: u8,
    /// Nodes that a worker searches for a score; four times as many to find moves.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Directories of endgame tables beside those in the program, separated by `;`.
    #[arg(long, value_name = "PATHS", default_value = "")]
    tables: String,
}

/// How often a worker without work looks for some.
const PAUSE: Duration = Duration::from_millis(500);

fn parse_role(text: &str) -> Result<Role, &'static str> {
    Role::from_name(text).ok_or("not none, read, queue or write")
}

/// Serves until it is interrupted.
///
/// # Errors
/// The library or the tokens cannot be read, or the address cannot be listened on.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let tokens = match &arguments.tokens {
        Some(path) => read_tokens(path)?,
        None => Tokens::default(),
    };
    let interrupts = interrupts()?;
    let (tables, skipped) = Tables::open(&arguments.tables);
    if let Some(problem) = skipped.first() {
        return Err(Failure::new("--tables", problem));
    }
    let store = Store::open(&arguments.library)
        .map_err(|error| Failure::new(arguments.library.display(), error))?;
    let options = LibraryOptions {
        least_visits: arguments.min_visits,
    };
    let library = Arc::new(Library::new(store, tables.clone(), options));
    let options = ServerOptions {
        anonymous: arguments.anonymous,
        tokens,
        rate: arguments.rate,
        proxies: arguments.proxy.clone(),
        connections: usize::from(arguments.connections),
        threads: usize::from(arguments.threads),
    };
    let fault = |error| Failure::new(arguments.listen, error);
    let server = Server::bind(arguments.listen, library.clone(), options).map_err(fault)?;
    let address = server.address().map_err(fault)?;
    let employer: Arc<dyn Employer> = Arc::new(Local(library));
    let worker = |_| Worker::start(employer.clone(), tables.clone(), arguments.nodes, PAUSE);
    let workers: Vec<Worker> = (0..arguments.workers)
        .map(worker)
        .collect::<Result<_, _>>()
        .map_err(|error| Failure::new("--workers", error))?;
    let told = writeln!(io::stdout(), "listening on http://{address}/chessdb.php");
    // A closed standard output ends no server.
    let _ = told.and_then(|()| io::stdout().flush());
    log::info!("listening on {address}");
    let wait = move || {
        // Where the handler is gone, no signal can come any more.
        let _ = interrupts.recv();
    };
    server.run(wait).map_err(fault)?;
    drop(workers);
    Ok(())
}

fn read_tokens(path: &Path) -> Result<Tokens, Failure> {
    let text =
        std::fs::read_to_string(path).map_err(|error| Failure::new(path.display(), error))?;
    Tokens::parse(&text).map_err(|error| Failure::new(path.display(), error))
}
