//! `chuhe board`: a study board in the browser, with the engine.

mod api;
mod engine;
mod server;

use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;

use parking_lot::Mutex;
use rand::Rng;
use serde_json::Value;

use super::common::{
    BookArguments, Context, ErrorList, Failure, GameArguments, GamePath, Place, SearchArguments,
    SearchDefaults, note, note_problems, print_line, user_name,
};
use super::serve::{NODES, PAUSE, open_store, survive_write_errors};
use crate::book::SQLITE_MAGIC;
use crate::cloud::library::{Library, LibraryOptions};
use crate::cloud::server::LibraryRoutes;
use crate::cloud::store::Location;
use crate::cloud::worker::Workers;
use crate::notation::tree::GameTree;
use crate::page;
use crate::search::{MAX_HASH, MAX_THREADS, cores};
use crate::tablebase::Tables;
use crate::text::first_bytes;
use api::MAX_GAMES;
use server::BoardServer;

pub use api::{Api, router};
pub use engine::EngineSettings;

/// Open a study board in the browser: analyze, play against the engine, review games.
///
/// The server listens on this machine only, and its address contains a random token. It reads no file except those
/// given here, and writes none but the library. Ctrl-C ends it.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// Port to listen on; 0 selects a free one.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// Only print the address; do not open it in the default browser.
    #[arg(long)]
    no_browser: bool,
    #[command(flatten)]
    books: BookArguments,
    /// Cloud library whose moves and notes are shown beside the board. The page can add to it. It is created if
    /// missing; searches that are requested in it run at low priority.
    #[arg(long, value_name = "LIBRARY")]
    library: Option<Location>,
    #[command(flatten)]
    search: SearchArguments,
}

/// Whether Windows Explorer started the program, in a console of its own, after a double-click.
#[cfg(windows)]
pub fn is_double_clicked() -> bool {
    use std::io::{IsTerminal, stdin, stdout};

    use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

    if !stdin().is_terminal() || !stdout().is_terminal() {
        return false;
    }
    let mut system = System::new();
    let mut process = |id: Pid| {
        let kind = ProcessRefreshKind::nothing();
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[id]), false, kind);
        let process = system.process(id)?;
        Some((process.parent(), process.name().to_ascii_lowercase()))
    };
    let own = process(Pid::from_u32(std::process::id()));
    let parent = own.and_then(|(parent, _)| process(parent?));
    parent.is_some_and(|(_, name)| name == "explorer.exe")
}

/// Serves the page until Ctrl-C.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let games = read_games(&arguments.game)?;
    let books = arguments.books.open()?;
    // The page sets the limits of its searches.
    let plan = arguments.search.plan(SearchDefaults { threads: 1, hash: 64 })?;
    let tablebases = plan.tablebases.clone();
    let settings = EngineSettings {
        max_threads: cores().max(plan.threads).min(MAX_THREADS as usize),
        max_hash: MAX_HASH as usize,
        max_time: None,
        plan,
        books: Mutex::new(books),
        book_names: arguments.books.names().to_owned(),
    };
    // Before the library is opened, so that none is created if the port is in use.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, arguments.port))
        .context(format_args!("port {}", arguments.port))?;
    let library = arguments.library.as_ref();
    let library = library.map(|location| open_library(location, tablebases));
    let (library, _workers) = library.transpose()?.unzip();
    let token = format!("{:032x}", rand::rng().random::<u128>());
    let api = Api::new(settings, games);
    let server = BoardServer::new(api, library, token, &listener).context("the server")?;
    let address = server.address();
    print_line(&format!("Chuhe is at {address} (Ctrl-C ends it)"));
    if !arguments.no_browser
        && let Err(error) = open::that_detached(&address)
    {
        note(&format!("cannot open a browser: {error}; open the address above"));
    }
    server.run(listener).context("the server")
}

/// Opens a library for the page. If it can be written, a worker runs its search tasks.
fn open_library(
    location: &Location,
    tablebases: Arc<Tables>,
) -> Result<(LibraryRoutes, Workers), Failure> {
    survive_write_errors();
    let store = open_store(location)?;
    let is_read_only = store.is_read_only();
    let library = Library::new(store, tablebases.clone(), LibraryOptions::default());
    let library = Arc::new(library);
    let routes = LibraryRoutes::new(library.clone(), &user_name().unwrap_or_default());
    let routes = routes.context("the library")?;
    let count = u8::from(!is_read_only);
    let workers = Workers::start(count, library, &tablebases, NODES, PAUSE);
    Ok((routes, workers.context("the library")?))
}

/// The games that the page shows at the start.
fn read_games(arguments: &GameArguments) -> Result<Vec<Value>, Failure> {
    if !arguments.is_given() {
        return Ok(Vec::new());
    }
    match arguments.game_path()? {
        Some(path) if path.game.is_none() && path.ply.is_none() => read_file(&path),
        Some(path) => {
            // The page gets the whole game and shows it after the given plies.
            let whole = GamePath { ply: None, ..path.clone() };
            let game = whole.read()?;
            let place = Place::Game(path.game.unwrap_or(1));
            path.check_ply(&game).context(format_args!("{}: {place}", path.path.display()))?;
            Ok(vec![page::game(&game, &[], path.ply.unwrap_or(0))])
        }
        None => {
            let line = arguments.read()?.line();
            let plies = line.moves.len();
            let tree = GameTree::from(line);
            Ok(vec![page::game(&tree, &[], plies)])
        }
    }
}

/// The first [`MAX_GAMES`] games of a file. Games that cannot be read are reported.
fn read_file(game_path: &GamePath) -> Result<Vec<Value>, Failure> {
    let path = game_path.path.display();
    if first_bytes(&game_path.path, SQLITE_MAGIC.len()) == SQLITE_MAGIC {
        let reason = format!(
            "a database; `--library {path}` shows a cloud library beside the board, and `--book {path}` uses an \
             opening book"
        );
        return Err(Failure::new(path, reason));
    }
    let mut reader = game_path.games()?;
    let mut games = Vec::new();
    let mut errors = ErrorList::default();
    while let Some(game) = reader.next() {
        let place = Place::of_last(&reader);
        if games.len() == MAX_GAMES {
            note(&format!("{path}: only the first {MAX_GAMES} games are shown"));
            return Ok(games);
        }
        match game {
            Ok(game) => {
                errors.report();
                note_problems(&game_path.path, place, &game);
                games.push(page::game(&game, &[], 0));
            }
            Err(error) => errors.add(place.failure(&game_path.path, &error)),
        }
    }
    reader.finish().context(&path)?;
    errors.failure(&game_path.path).map_or(Ok(games), Err)
}
