//! `chuhe serve`: the cloud library as a server.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::cloud::{RemoteWork, work_for};
use super::common::{Failure, interrupts, print};
use crate::cloud::access::{Role, Tokens};
use crate::cloud::library::{Library, LibraryOptions, Rounding};
use crate::cloud::server::{Server, ServerOptions, Site, survive_file_limits};
use crate::cloud::store::{Location, Store};
use crate::cloud::worker::{Employer, Local, Worker, Workers};
use crate::tablebase::Tables;

/// Keep a cloud library (云库) of your own: answer the cloud API over HTTP, at /chessdb.php.
///
/// The library is one file or PostgreSQL database, which is made where there is none. Endgame tables answer
/// before it. The numbers of the server stand at /metrics. Ctrl-C or SIGTERM ends the server once the requests under
/// way are answered. With --worker no library is kept here; the program searches for one that is served
/// elsewhere, until Ctrl-C.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The file of the library, or postgres://USER@HOST/DATABASE with the feature postgres.
    #[arg(required_unless_present = "worker")]
    library: Option<Location>,
    /// Search for the library at this address instead, with a token that may write.
    #[arg(
        long, value_name = "URL",
        conflicts_with_all = ["library", "listen", "tokens", "anonymous", "rate", "proxy", "public_workers", "site",
            "lease", "connections", "threads", "min_visits", "compat_rounding"],
    )]
    worker: Option<String>,
    /// A file with the token to show, with --worker.
    #[arg(
        long,
        value_name = "FILE",
        requires = "worker",
        conflicts_with = "library"
    )]
    token_file: Option<PathBuf>,
    /// Address and port to listen on; port 0 takes a free one, which is printed.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8090")]
    listen: SocketAddr,
    /// Tokens and what they allow, a line each: role (read, queue, write, admin), name, token.
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,
    /// What those may do who show no token: none, read, queue (have positions searched), write (scores).
    #[arg(long, value_name = "ROLE", value_enum, ignore_case = true, default_value_t = Role::Queue)]
    anonymous: Role,
    /// Look-ups a second that an address may make [default: 100, and no limit for this machine].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rate: Option<u32>,
    /// A proxy whose header X-Forwarded-For is believed; may be given several times.
    #[arg(long, value_name = "ADDRESS")]
    proxy: Vec<IpAddr>,
    /// An address whose workers may speak the dialect of the public library; may be given several times.
    /// Their password is a token that may write.
    #[arg(long, value_name = "ADDRESS")]
    public_workers: Vec<IpAddr>,
    /// A directory whose files are shown beside the page, such as that of the public library; read at
    /// the start.
    #[arg(long = "static", value_name = "DIRECTORY")]
    site: Option<PathBuf>,
    /// Seconds after which a task that is not done is given to another worker.
    #[arg(long, value_name = "SECONDS", default_value_t = 3_600, value_parser = clap::value_parser!(u32).range(1..))]
    lease: u32,
    /// Connections at a time; one address may have half of them.
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u16).range(2..))]
    connections: u16,
    /// Threads that answer requests.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..=64))]
    threads: u8,
    /// Moves below a position that must be known before query and its like answer with one.
    #[arg(long, value_name = "N", default_value_t = LibraryOptions::default().least_visits)]
    min_visits: usize,
    /// Round scores for the move as it is asked for, as the public library does: those of mirror images
    /// may then differ by 1.
    #[arg(long)]
    compat_rounding: bool,
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

/// Serves, or works for another server, until it is interrupted.
///
/// # Errors
/// The library or the tokens cannot be read, the address cannot be listened on, or the other server refuses.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match (&arguments.library, &arguments.worker) {
        (Some(library), _) => serve(arguments, library),
        (None, Some(url)) => work(arguments, url),
        (None, None) => Err(Failure::usage("serve", "which library?")),
    }
}

fn work(arguments: &Arguments, url: &str) -> Result<(), Failure> {
    if arguments.workers == 0 {
        return Err(Failure::usage("--workers", "with --worker 1 or more"));
    }
    work_for(&RemoteWork {
        option: "--worker",
        url,
        token_file: arguments.token_file.as_deref(),
        threads: arguments.workers,
        nodes: arguments.nodes,
        tables: open_tables(arguments)?,
    })
}

fn open_tables(arguments: &Arguments) -> Result<Arc<Tables>, Failure> {
    let (tables, skipped) = Tables::open(&arguments.tables);
    match skipped.first() {
        Some(problem) => Err(Failure::new("--tables", problem)),
        None => Ok(tables),
    }
}

fn serve(arguments: &Arguments, location: &Location) -> Result<(), Failure> {
    let tokens = match &arguments.tokens {
        Some(path) => read_tokens(path)?,
        None => Tokens::default(),
    };
    if !arguments.public_workers.is_empty() && tokens.writers().next().is_none() {
        return Err(Failure::new(
            "--public-workers",
            "needs --tokens with one that may write",
        ));
    }
    let site = match &arguments.site {
        Some(path) => Site::read(path).map_err(|error| Failure::new(path.display(), error))?,
        None => Site::default(),
    };
    let interrupts = interrupts()?;
    let tables = open_tables(arguments)?;
    allow_connections(arguments.connections);
    if let Err(error) = survive_file_limits() {
        log::warn!("a limit of the size of files ends the server: {error}");
    }
    let store = Store::open_at(location).map_err(|error| Failure::new(location, error))?;
    let options = LibraryOptions {
        least_visits: arguments.min_visits,
        lease: i64::from(arguments.lease),
        rounding: match arguments.compat_rounding {
            true => Rounding::Asked,
            false => Rounding::Stored,
        },
    };
    let library = Arc::new(Library::new(store, tables.clone(), options));
    let options = ServerOptions {
        anonymous: arguments.anonymous,
        tokens,
        rate: arguments.rate,
        proxies: arguments.proxy.clone(),
        public_workers: arguments.public_workers.clone(),
        site,
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
    // A closed standard output ends no server.
    let _ = print(&format!("listening on http://{address}/chessdb.php\n"));
    log::info!("listening on {address}");
    // Where the handler is gone, no signal can come any more.
    let wait = move || _ = interrupts.recv();
    server.run(wait).map_err(fault)?;
    drop(Workers::from(workers));
    Ok(())
}

/// Files that are open beside connections: the library for each thread, the log.
const OTHER_FILES: u64 = 256;

/// Asks the system for as many open files as the connections need; tells where it grants fewer.
fn allow_connections(count: u16) {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let wanted = u64::from(count) + OTHER_FILES;
        let limit = getrlimit(Resource::Nofile);
        let current = limit.current.unwrap_or(u64::MAX);
        let granted = wanted.min(limit.maximum.unwrap_or(u64::MAX));
        let new = Rlimit {
            current: Some(granted),
            ..limit
        };
        let is_set = current >= wanted || setrlimit(Resource::Nofile, new).is_ok();
        if !is_set || granted.max(current) < wanted {
            log::warn!(
                "{count} connections need {wanted} open files, of which the system grants {}",
                granted.max(current)
            );
        }
    }
    #[cfg(not(unix))]
    let _ = count;
}

fn read_tokens(path: &Path) -> Result<Tokens, Failure> {
    let text =
        std::fs::read_to_string(path).map_err(|error| Failure::new(path.display(), error))?;
    Tokens::parse(&text).map_err(|error| Failure::new(path.display(), error))
}
