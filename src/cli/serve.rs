//! `chuhe serve`: the HTTP server of a cloud library.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::{AddrParseError, IpAddr, SocketAddr, TcpListener, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::board::{Api, EngineSettings, router};
use super::common::{
    Context, Failure, SearchPlan, TablebaseArguments, note, print_text, read_small_text,
};
use crate::book::{BUILTIN, BookLibrary};
use crate::cloud::access::{Role, Tokens};
use crate::cloud::library::{Library, LibraryOptions, Rounding};
use crate::cloud::server::{Server, ServerFiles, ServerOptions, Site, survive_file_limits};
use crate::cloud::store::{Location, Store, StoreError};
use crate::cloud::worker::Workers;
use crate::tablebase::Tables;
use crate::text::without_secrets;

/// Serve a cloud library (云库): the API of the public library over HTTP, at /chessdb.php.
///
/// The library is an SQLite file or a PostgreSQL database and is created if missing. A read-only file is served without
/// learning. Endgame tablebases take precedence over the library. Statistics are at /metrics. Ctrl-C or SIGTERM stops
/// the server after the requests in progress; SIGHUP loads --tokens and --static again. To search for a library on
/// another machine, use `chuhe cloud worker`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Library file, or postgres://USER@HOST/DATABASE if built with the feature postgres.
    library: Location,
    /// Address or host name, and port. PORT alone means 127.0.0.1:PORT, `:PORT` means all IPv4 addresses. Port 0
    /// selects a free port, which is printed.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8090", value_parser = parse_listen)]
    listen: ListenAddress,
    /// File of access tokens, one per line: role (read, queue, write, admin), name, token.
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,
    /// Role of clients without a token: none, read, queue (request searches), write (scores).
    #[arg(long, value_name = "ROLE", value_enum, ignore_case = true, default_value_t = Role::Queue)]
    anonymous: Role,
    /// Maximum number of queries per second from each client address [default: 100, unlimited for this machine].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rate: Option<u32>,
    /// Address of a proxy whose X-Forwarded-For header is trusted; may be repeated.
    #[arg(long, value_name = "ADDRESS", value_parser = parse_address)]
    proxy: Vec<IpAddr>,
    /// Address of workers of the public library, which sign with MD5; may be repeated. Their password is a token
    /// with the role write.
    #[arg(long, value_name = "ADDRESS", value_parser = parse_address)]
    public_workers: Vec<IpAddr>,
    /// Directory of static files to serve beside the built-in page, such as the page of the public library.
    #[arg(long = "static", value_name = "DIRECTORY")]
    site: Option<PathBuf>,
    /// Seconds after which an unfinished task is given to another worker.
    #[arg(long, value_name = "SECONDS", default_value_t = 3_600, value_parser = clap::value_parser!(u32).range(1..))]
    lease: u32,
    /// Maximum number of connections; one address may use half of them.
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u16).range(2..))]
    connections: u16,
    /// Number of threads that answer requests.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..=64))]
    threads: u8,
    /// Return a move from query and similar actions only if at least N good moves are known in and below the position,
    /// and at least min(N, 4) below one of its best moves.
    #[arg(long, value_name = "N", default_value_t = LibraryOptions::default().min_visits)]
    min_visits: usize,
    /// Round scores as the public library does: by the move of the queried position, not of its stored mirror image.
    /// Scores of mirrored positions may then differ by 1.
    #[arg(long)]
    compat_rounding: bool,
    /// Number of search threads, at low priority; 0 to 64.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=64))]
    workers: u8,
    /// Nodes to score a move. A search that finds the moves of a position has four times as many.
    #[arg(long, value_name = "N", default_value_t = NODES, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    #[command(flatten)]
    tablebases: TablebaseArguments,
}

/// Time after which an idle worker looks for tasks again.
pub const PAUSE: Duration = Duration::from_millis(500);

/// Default number of nodes to score a move.
pub const NODES: u64 = 100_000;
/// Maximum time of a search for a user of the page.
const MAX_SEARCH_TIME: Duration = Duration::from_secs(300);
/// Size of the hash table of each user of the page, in MB.
const HASH: usize = 64;

/// The engine of the page, which clients with the role write may use.
fn engine_settings(tablebases: &Arc<Tables>) -> EngineSettings {
    let (books, _) = BookLibrary::open(BUILTIN);
    EngineSettings {
        plan: SearchPlan::new(1, HASH, tablebases.clone()),
        books: Mutex::new(books),
        book_names: BUILTIN.to_owned(),
        max_threads: 1,
        max_hash: HASH,
        max_time: Some(MAX_SEARCH_TIME),
    }
}

/// Parses the address of a client. An IPv4 address may be written as an IPv6 address, such as `::ffff:127.0.0.1`.
fn parse_address(text: &str) -> Result<IpAddr, AddrParseError> {
    text.parse().map(|address: IpAddr| address.to_canonical())
}

/// The argument of `--listen` with the addresses of the host.
#[derive(Clone, Debug)]
struct ListenAddress {
    text: String,
    addresses: Vec<SocketAddr>,
}

/// Parses `ADDRESS:PORT`, `HOST:PORT`, `PORT`, or `:PORT` and `*:PORT` for all IPv4 addresses. IPv4 addresses of a host
/// come first.
fn parse_listen(text: &str) -> Result<ListenAddress, String> {
    let address = match text.strip_prefix('*').unwrap_or(text).strip_prefix(':') {
        Some(port) if port.parse::<u16>().is_ok() => format!("0.0.0.0:{port}"),
        None if text.parse::<u16>().is_ok() => format!("127.0.0.1:{text}"),
        _ => text.to_owned(),
    };
    let invalid = |error| format!("expected ADDRESS:PORT, HOST:PORT, :PORT or PORT: {error}");
    let mut addresses: Vec<SocketAddr> = address.to_socket_addrs().map_err(invalid)?.collect();
    addresses.sort_by_key(SocketAddr::is_ipv6);
    Ok(ListenAddress { text: text.to_owned(), addresses })
}

/// Opens a library for writing, or for reading if it is read-only.
pub fn open_store(location: &Location) -> Result<Store, Failure> {
    let store = match Store::open_at(location) {
        Err(StoreError::ReadOnly) => {
            note(&format!(
                "{location} is read-only: the server answers queries but learns nothing"
            ));
            Store::open_read_only(location)
        }
        opened => opened,
    };
    store.context(location)
}

/// The time before the same error is printed again.
const REPEAT_TIME: Duration = Duration::from_secs(60);

/// Prints the errors of this crate to standard error, for commands that run unattended. Does nothing if the log is
/// written to a file. The same error is printed once per [`REPEAT_TIME`].
pub fn print_errors() {
    let printed = Mutex::new(HashMap::<String, Instant>::new());
    // Fails if there is a log file.
    let _ = env_logger::Builder::new()
        .filter_module("chuhe", log::LevelFilter::Error)
        .format(move |_, record| {
            let text = record.args().to_string();
            let now = Instant::now();
            let mut printed = printed.lock();
            printed.retain(|_, time| now.duration_since(*time) < REPEAT_TIME);
            if let Entry::Vacant(entry) = printed.entry(text) {
                note(&without_secrets(entry.key()));
                entry.insert(now);
            }
            Ok(())
        })
        .try_init();
}

/// Prints errors (see [`print_errors`]) and lets a write beyond a file size limit fail, for a server whose library may
/// reach the limit or fill the disk.
pub fn survive_write_errors() {
    print_errors();
    if let Err(error) = survive_file_limits() {
        note(&format!("cannot handle SIGXFSZ, so a file size limit will end the server: {error}"));
    }
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    survive_write_errors();
    let files = load_files(arguments)?;
    let (tablebases, skipped) = Tables::open(arguments.tablebases.paths());
    if let Some(problem) = skipped.first() {
        return Err(Failure::new("--tables", problem));
    }
    allow_connections(arguments.connections);
    let listen = &arguments.listen;
    // Before the library is opened, so that none is created if the port is in use.
    let listener = TcpListener::bind(&*listen.addresses).context(&listen.text)?;
    let address = listener.local_addr().context(&listen.text)?;
    let store = open_store(&arguments.library)?;
    let workers = if store.is_read_only() { 0 } else { arguments.workers };
    let options = LibraryOptions {
        min_visits: arguments.min_visits,
        lease: i64::from(arguments.lease),
        rounding: if arguments.compat_rounding { Rounding::Requested } else { Rounding::Stored },
    };
    let library = Arc::new(Library::new(store, tablebases.clone(), options));
    let options = ServerOptions {
        anonymous: arguments.anonymous,
        rate: arguments.rate,
        proxies: arguments.proxy.clone(),
        public_workers: arguments.public_workers.clone(),
        connections: usize::from(arguments.connections),
        threads: usize::from(arguments.threads),
    };
    let api = router(Arc::new(Api::new(engine_settings(&tablebases), Vec::new())));
    let server =
        Server::new(listener, library.clone(), options, files, api).context(&listen.text)?;
    let mut workers = Workers::start(workers, library, &tablebases, arguments.nodes, PAUSE)
        .context("--workers")?;
    // The server runs even if standard output is closed.
    let _ = print_text(&format!("listening on http://{address}/chessdb.php\n"));
    log::info!("listening on {address}");
    let reload = || match load_files(arguments) {
        Ok(files) => {
            let text = "tokens and static files were reloaded";
            log::info!("{text}");
            note(text);
            Some(files)
        }
        Err(error) => {
            let text = format!("{}; the previous tokens and static files stay in use", error.text);
            // Not as an error, because `print_errors` prints errors if there is no log file.
            log::warn!("{text}");
            note(&text);
            None
        }
    };
    let stop = || {
        log::info!("stopping");
        workers.stop();
    };
    server.run(reload, stop).context(&listen.text)
}

fn load_files(arguments: &Arguments) -> Result<ServerFiles, Failure> {
    let tokens = match &arguments.tokens {
        Some(path) => Tokens::parse(&read_small_text(path)?).context(path.display())?,
        None => Tokens::default(),
    };
    if !arguments.public_workers.is_empty() && tokens.writers().next().is_none() {
        return Err(Failure::new(
            "--public-workers",
            "needs a token with the role write in --tokens",
        ));
    }
    let site = match &arguments.site {
        Some(path) => Site::read(path).context(path.display())?,
        None => Site::default(),
    };
    Ok(ServerFiles { tokens, site })
}

/// Raises the limit of open files to the number that the connections need; warns if the system does not allow it.
fn allow_connections(count: u16) {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

        /// Files that are open besides connections: the library in each thread, and the log.
        const OTHER_FILES: u64 = 256;
        let wanted = u64::from(count) + OTHER_FILES;
        let limit = getrlimit(Resource::Nofile);
        let current = limit.current.unwrap_or(u64::MAX);
        let possible = wanted.min(limit.maximum.unwrap_or(u64::MAX));
        let new = Rlimit { current: Some(possible), ..limit };
        let is_raised = current < possible && setrlimit(Resource::Nofile, new).is_ok();
        let allowed = if is_raised { possible } else { current };
        if allowed < wanted {
            note(&format!(
                "{count} connections need {wanted} open files, but the system allows only {allowed}"
            ));
        }
    }
    #[cfg(not(unix))]
    let _ = count;
}
