//! A searcher for callers that wait for each result.

use std::cell::Cell;
use std::fmt;
use std::io;
#[cfg(feature = "cli")]
use std::iter;
use std::panic::resume_unwind;
use std::sync::Arc;
#[cfg(feature = "cli")]
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Scope, ScopedJoinHandle};

#[cfg(feature = "cli")]
use crossbeam_channel::{Receiver, unbounded};

use super::memory::{
    STACK_BYTES, THREAD_BYTES, THREAD_HEAP_BYTES, cores, has_room, thread_builder, with_own_heap,
};
use super::request_handler::RequestHandler;
use super::{StartError, search_or_renew};
use crate::board::Position;
use crate::eval::nnue::{self, Network};
use crate::rules::{Game, RuleSet, counted_plies};
use crate::search::event::{Outcome, SearchResult};
use crate::search::parameters;
use crate::search::request::{Limits, SearchRequest, Settings};
use crate::search::score::Score;
use crate::search::tree::{ThreadData, static_score};
use crate::search::tt::TranspositionTable;
use crate::tablebase::Tables;

/// A search in one thread, with a transposition table of its own.
///
/// A search needs a large stack, so each search starts a thread and waits for it. The threads that the subcommands
/// start for their searches already have such a stack, and search without another thread.
///
/// ```
/// use chuhe::rules::Game;
/// use chuhe::search::{Limits, Searcher};
///
/// let mut searcher = Searcher::new(1)?;
/// let game = Game::new("3k5/9/9/9/9/9/9/R8/1R7/4K4 w".parse()?);
/// let outcome = searcher.think(&game, Limits::depth(4))?;
/// let is_mate = outcome.score.is_some_and(|score| score.is_mate());
/// assert!(is_mate);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The [`Control`](crate::search::Control) of a request stops its search, also from another thread. For reports on the
/// progress, use a [`Pool`](crate::search::Pool).
pub struct Searcher {
    thread: ThreadData,
    handler: RequestHandler,
    network: Option<Arc<Network>>,
    tablebases: Option<Arc<Tables>>,
}

impl Searcher {
    /// A searcher with a transposition table of `megabytes`, or a smaller one if memory is short.
    ///
    /// # Errors
    /// There is no memory for a search thread and a table of one MB.
    pub fn new(megabytes: usize) -> Result<Self, StartError> {
        let mut size = megabytes.max(1);
        loop {
            match Self::with_exact_hash(size) {
                Err(_) if size > 1 => log::warn!("no memory for a hash table of {size} MB"),
                result => return result,
            }
            size /= 2;
        }
    }

    /// As [`Self::new`], with a transposition table of exactly `megabytes`: the results of a search depend on
    /// its size.
    ///
    /// # Errors
    /// There is no memory for a search thread and that table.
    pub fn with_exact_hash(megabytes: usize) -> Result<Self, StartError> {
        // Decoded now, while the program can still report that memory is missing.
        nnue::embedded();
        // Checked before the table is allocated, because the allocator can keep the memory of a freed table.
        let bytes = megabytes.saturating_mul(1 << 20);
        let tt = has_room(bytes.saturating_add(THREAD_BYTES + THREAD_HEAP_BYTES))
            .then(|| TranspositionTable::new(megabytes))
            .flatten()
            .ok_or(StartError::NoMemory(megabytes))?;
        // The system provides the memory now, not during the first search.
        tt.touch_pages(cores());
        Ok(Self {
            thread: ThreadData::new(0, Arc::new(tt)),
            handler: RequestHandler::default(),
            network: None,
            tablebases: None,
        })
    }

    /// Sets the network (`None`: the embedded one) and [forgets](Self::forget) earlier searches.
    pub fn set_network(&mut self, network: Option<Arc<Network>>) {
        self.network = network;
        self.forget();
    }

    /// Sets the endgame tablebases (`None`: none) and [forgets](Self::forget) earlier searches.
    pub fn set_tablebases(&mut self, tablebases: Option<Arc<Tables>>) {
        self.tablebases = tablebases;
        self.forget();
    }

    /// Clears the transposition table, the histories, the measured move overhead and the mate announced last.
    pub fn forget(&mut self) {
        self.handler.clear();
        self.thread.histories.clear();
        match Arc::get_mut(&mut self.thread.tt) {
            Some(tt) => tt.clear_exclusively(),
            None => self.thread.tt.clear(),
        }
    }

    /// The static evaluation of a position for its side to move, scaled by the plies without a capture as a search by
    /// the Asian rules scales it.
    pub fn static_score(&self, position: &Position) -> Score {
        let raw = static_score(position, &Settings::default(), self.network.as_ref());
        let counted = counted_plies(position.clock(), RuleSet::Asian);
        Score::evaluation(parameters::damped(raw.units(), counted.into()))
    }

    /// Searches the position at the end of `game`.
    ///
    /// # Errors
    /// No search thread can be started.
    pub fn think(&mut self, game: &Game, limits: Limits) -> Result<Outcome, StartError> {
        let result = self.search(self.request(game, limits))?;
        Ok(result.outcome)
    }

    /// A request with the default settings and the network and tablebases of this searcher. Its clock starts now, not
    /// at [`Self::search`].
    pub fn request(&self, game: &Game, limits: Limits) -> SearchRequest {
        SearchRequest {
            network: self.network.clone(),
            tablebases: self.tablebases.clone(),
            ..SearchRequest::new(game.clone(), limits)
        }
    }

    /// Answers a request with the network and tablebases of the request, not those of this searcher.
    ///
    /// # Errors
    /// No search thread can be started.
    pub fn search(&mut self, request: SearchRequest) -> Result<SearchResult, StartError> {
        let Self { thread, handler, .. } = self;
        let tt = thread.tt.clone();
        let answer = || {
            handler.search(request, None, &tt, 1, |shared| {
                search_or_renew(thread, shared).into_iter().collect()
            })
        };
        on_search_stack(answer).map_err(StartError::NoThread)
    }
}

impl fmt::Debug for Searcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Searcher").finish_non_exhaustive()
    }
}

thread_local! {
    /// Whether the stack of this thread is large enough for a search.
    static HAS_SEARCH_STACK: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` with a stack that is large enough for a search: in this thread if it has one, else in a new
/// thread; see [`spawn_search_thread`] for errors.
fn on_search_stack<R: Send>(work: impl FnOnce() -> R + Send) -> io::Result<R> {
    if HAS_SEARCH_STACK.get() {
        return Ok(work());
    }
    thread::scope(|scope| {
        let handle = spawn_search_thread(scope, work)?;
        handle.join().or_else(|panic| resume_unwind(panic))
    })
}

/// Starts a thread in which a [`Searcher`] searches without starting another one.
///
/// # Errors
/// There is no memory for the thread, or the system refuses it.
pub fn spawn_search_thread<'scope, R: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> R + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, R>> {
    let builder = thread_builder("searcher", STACK_BYTES)?;
    let (work, ready) = with_own_heap(|| {
        HAS_SEARCH_STACK.set(true);
        work()
    });
    let handle = builder.spawn_scoped(scope, work)?;
    let _ = ready.recv();
    Ok(handle)
}

/// Calls `work` with each index below `count`, in one thread for each searcher. If the system does not start them all,
/// there are fewer threads. `collect` gets the results with their indexes in any order, while the threads work. After
/// it has dropped the receiver, each thread ends when it sends its next result.
///
/// # Errors
/// No thread can be started.
#[cfg(feature = "cli")]
pub fn search_in_parallel<S: Send, T: Send, R>(
    searchers: impl IntoIterator<Item = S>,
    count: usize,
    work: impl Fn(&mut S, usize) -> T + Sync,
    collect: impl FnOnce(Receiver<(usize, T)>) -> R,
) -> Result<R, StartError> {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (sender, results) = unbounded();
        for (started, mut searcher) in searchers.into_iter().enumerate() {
            let (sender, next, work) = (sender.clone(), &next, &work);
            let indexes = move || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|n| *n < count);
            let body = move || {
                let mut results = iter::from_fn(indexes).map(|n| (n, work(&mut searcher, n)));
                // Sending fails after the receiver has been dropped.
                let _ = results.try_for_each(|result| sender.send(result));
            };
            match spawn_search_thread(scope, body) {
                Ok(_) => {}
                Err(error) if started == 0 => return Err(StartError::NoThread(error)),
                Err(error) => {
                    log::warn!("using fewer threads than requested: {error}");
                    break;
                }
            }
        }
        drop(sender);
        Ok(collect(results))
    })
}

/// Whether there is memory for this number of search threads, not counting their hash tables.
#[cfg(feature = "training")]
pub fn has_room_for_searches(threads: usize) -> bool {
    has_room(threads.saturating_mul(THREAD_BYTES) + THREAD_HEAP_BYTES)
}
