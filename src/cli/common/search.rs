//! Searches of commands: their common arguments, and the search of many positions at the same time.

use std::borrow::Borrow;
use std::io;
use std::sync::Arc;

use crossbeam_channel::{Receiver, select, unbounded};
use parking_lot::Mutex;

use super::{
    Context, Failure, GameRulesArgument, NetworkArgument, TablebaseArguments, note, refuse_if,
};
use crate::eval::Knowledge;
use crate::eval::nnue::Network;
use crate::protocol::strength::{root_noise, weaken};
use crate::rules::Game;
use crate::search::{
    Bound, Control, Degree, Event, Limits, MAX_HASH, MAX_THREADS, Meaning, Pool, Report, Score,
    SearchRequest, SearchResult, Searcher, Settings, StartError, cores, search_in_parallel,
};
use crate::tablebase::Tables;
use crate::text::counted;

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Search")]
pub struct SearchArguments {
    /// Search threads; 0 = one per CPU core. `batch` and `review` search N positions at the same time
    /// [default: 0 for `batch` and `review`, otherwise 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=i64::from(MAX_THREADS)))]
    pub threads: Option<u16>,
    /// Hash table in MB; 0 = the default. `batch` and `review` use one for each position searched at the same time
    /// [default: 16 for `batch`, 32 for `review`, 64 for `board` and for several positions of `analyse`, otherwise by
    /// the memory of the machine].
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_HASH)))]
    pub hash: Option<u32>,
    /// Amount of unsound pruning, the same as the engine option `pruning`.
    #[arg(long, value_name = "DEGREE", value_enum, ignore_case = true, default_value_t = Settings::default().pruning)]
    pub pruning: Degree,
    /// Evaluation: `large` is the neural network, the others are handcrafted.
    #[arg(long, value_name = "LEVEL", value_enum, ignore_case = true, default_value_t = Settings::default().knowledge)]
    pub knowledge: Knowledge,
    #[command(flatten)]
    pub rules: GameRulesArgument,
    #[command(flatten)]
    pub network: NetworkArgument,
    #[command(flatten)]
    pub tablebases: TablebaseArguments,
}

#[derive(Clone, Copy, Debug)]
pub struct SearchDefaults {
    /// Number of threads; 0 is one per CPU core.
    pub threads: u16,
    /// Size of the hash table in MB; 0 is automatic.
    pub hash: u32,
}

/// The number of threads that `--threads` requests; 0 is one per CPU core.
pub fn thread_count(requested: u16) -> usize {
    match requested {
        0 => cores(),
        n => n.into(),
    }
}

impl SearchArguments {
    /// A plan without limits. Its rules are those of `--rules`, or the default. Reads the network and opens the
    /// tablebases.
    pub fn plan(&self, defaults: SearchDefaults) -> Result<SearchPlan, Failure> {
        let threads = self.threads.unwrap_or(defaults.threads);
        let is_unused = self.network.path().is_some() && self.knowledge != Knowledge::Large;
        refuse_if(is_unused, "--network", "has an effect only with --knowledge large")?;
        let hash = self.hash.filter(|hash| *hash > 0).unwrap_or(defaults.hash) as usize;
        let network = self.network.read()?;
        Ok(SearchPlan {
            settings: Settings {
                rules: self.rules.of(None, None),
                pruning: self.pruning,
                knowledge: self.knowledge,
                ..Settings::default()
            },
            network,
            ..SearchPlan::new(threads, hash, self.tablebases.open()?)
        })
    }
}

/// Everything a search needs except the position.
#[derive(Clone)]
pub struct SearchPlan {
    pub limits: Limits,
    /// The Elo to play at, which also turns off the endgame tablebases; `None` for full strength.
    pub elo: Option<u32>,
    pub settings: Settings,
    pub threads: usize,
    /// Whether fewer threads are used if memory is short, because no number was given.
    pub may_use_fewer_threads: bool,
    /// Size of the hash table in MB; 0 is automatic.
    pub hash: usize,
    pub network: Option<Arc<Network>>,
    pub tablebases: Arc<Tables>,
}

impl SearchPlan {
    /// A plan without limits, with the default settings and the number of threads that `--threads` requests.
    pub fn new(threads: u16, hash: usize, tablebases: Arc<Tables>) -> Self {
        Self {
            limits: Limits::default(),
            elo: None,
            settings: Settings::default(),
            threads: thread_count(threads),
            may_use_fewer_threads: threads == 0,
            hash,
            network: None,
            tablebases,
        }
    }

    /// A request to search the position at the end of a game.
    pub fn request(&self, game: &Game, control: &Arc<Control>) -> SearchRequest {
        let mut request = SearchRequest {
            game: game.clone(),
            limits: self.limits,
            root_moves: None,
            settings: self.settings,
            network: self.network.clone(),
            tablebases: Some(self.tablebases.clone()),
            control: Arc::clone(control),
        };
        if let Some(elo) = self.elo {
            request.limits = weaken(request.limits, elo);
            request.settings.root_noise = root_noise(elo);
            request.tablebases = None;
        }
        request
    }

    /// Starts threads that search one position together.
    pub fn start_threads(&self) -> Result<SearchThreads, Failure> {
        let (sender, events) = unbounded();
        let mut pool = Pool::new(sender).context("the search cannot start")?;
        let hash = self.hash;
        // The pool begins with a hash table of automatic size, or a smaller one if memory is short. Its error messages
        // say that the old settings are kept. Here the command ends, so other messages are used.
        if hash > 0 {
            pool.set_hash_size(hash).map_err(|_| {
                Failure::message(format!("no memory for a hash table of {hash} MB"))
            })?;
        }
        let mut threads = self.threads;
        while pool.set_threads(threads).is_err() {
            if !self.may_use_fewer_threads {
                return Err(Failure::message(format!("cannot start {threads} threads")));
            }
            // A single thread has been started with the pool.
            threads -= 1;
        }
        if threads < self.threads {
            let used = counted(threads, "thread");
            note(&format!("searching with only {used} instead of {}", self.threads));
        }
        pool.prepare();
        Ok(SearchThreads { pool, events })
    }

    /// One searcher for each of `threads` positions that are searched at the same time, or fewer if memory is short and
    /// the plan allows it.
    pub fn searchers(&self, threads: usize) -> Result<Vec<Searcher>, Failure> {
        let mut searchers = Vec::new();
        while searchers.len() < threads {
            let searcher = match self.hash {
                0 => Searcher::new(AUTOMATIC_HASH),
                megabytes => Searcher::with_exact_hash(megabytes),
            };
            match searcher {
                Ok(searcher) => searchers.push(searcher),
                Err(error) if searchers.is_empty() => {
                    return Err(Failure::new("the search cannot start", error));
                }
                Err(error) if self.may_use_fewer_threads => {
                    let used = counted(searchers.len(), "thread");
                    note(&format!("searching with only {used} instead of {threads}: {error}"));
                    break;
                }
                Err(error) => {
                    let possible = searchers.len();
                    let why = format!(
                        "cannot search {threads} positions at the same time, only {possible}: {error}"
                    );
                    return Err(Failure::new("--threads", why));
                }
            }
        }
        Ok(searchers)
    }
}

/// Threads that search one position together.
pub struct SearchThreads {
    pool: Pool,
    events: Receiver<Event>,
}

impl SearchThreads {
    /// Searches a position and calls `on_report` for each report. Returns the result and whether Ctrl-C has stopped the
    /// search. An error of `on_report` stops the search and is returned.
    pub fn search(
        &self,
        request: SearchRequest,
        interrupts: &Receiver<()>,
        mut on_report: impl FnMut(Report) -> io::Result<()>,
    ) -> io::Result<(SearchResult, bool)> {
        let control = request.control.clone();
        self.pool.start(request);
        let mut is_interrupted = false;
        let mut reported = Ok(());
        loop {
            let event = select! {
                recv(self.events) -> event => event.map_err(|_| io::Error::other("the search has failed"))?,
                recv(interrupts) -> _ => {
                    is_interrupted = true;
                    control.stop();
                    continue;
                }
            };
            match event {
                Event::Done(result) => return reported.map(|()| (result, is_interrupted)),
                Event::Report(report) if reported.is_ok() => {
                    reported = on_report(report);
                    if reported.is_err() {
                        control.stop();
                    }
                }
                Event::Report(_) => {}
            }
        }
    }

    /// Sets the number of threads and the size of the hash table in MB; 0 is automatic.
    #[cfg(feature = "cloud")]
    pub fn resize(&mut self, threads: usize, hash: usize) -> Result<(), Failure> {
        self.pool.set_hash_size(hash).context("hash")?;
        self.pool.set_threads(threads).context("threads")?;
        self.pool.prepare();
        Ok(())
    }

    /// Clears the hash table and the histories.
    pub fn forget(&mut self) {
        self.pool.forget();
    }
}

/// A score in hundredths of a minor piece, or the plies to the mate, negative if the side to move is mated.
pub fn score_and_mate(score: Score) -> (Option<i32>, Option<i64>) {
    match score.meaning() {
        Meaning::Evaluation(score) => (Some(score), None),
        Meaning::Mates(plies) => (None, Some(i64::from(plies))),
        Meaning::Mated(plies) => (None, Some(-i64::from(plies))),
    }
}

/// The name of a bound in JSON and CSV; `None` for an exact score.
pub fn bound_name(bound: Bound) -> Option<&'static str> {
    match bound {
        Bound::Exact => None,
        Bound::Lower => Some("lower"),
        Bound::Upper => Some("upper"),
    }
}

/// Size of the hash table of each [`Searcher`] in MB if the size is automatic.
const AUTOMATIC_HASH: usize = 16;

/// Searches the final positions of `count` games, `plan.threads` of them at the same time. Each is searched by one
/// thread with an empty hash table, so without a time limit the results depend neither on the number of threads nor on
/// the order. `game` returns a game by its index. `found` is called with the index and the result of each game; if it
/// returns `false`, the searches end. Returns whether Ctrl-C has ended them.
///
/// # Errors
/// There is too little memory for the searches, a thread cannot be started or fails, or `found` returns an error.
pub fn search_games<G: Borrow<Game>>(
    count: usize,
    game: impl Fn(usize) -> G + Sync,
    plan: &SearchPlan,
    interrupts: &Receiver<()>,
    found: impl FnMut(usize, SearchResult) -> Result<bool, Failure>,
) -> Result<bool, Failure> {
    let searchers = plan.searchers(plan.threads.clamp(1, count.max(1)))?;
    let running = RunningSearches(Mutex::new(Some(Vec::new())));
    let work = |searcher: &mut Searcher, number: usize| {
        // The time of the search begins with its control.
        searcher.forget();
        let control = Control::new(false);
        running.add(&control);
        searcher.search(plan.request(game(number).borrow(), &control))
    };
    let searched = search_in_parallel(searchers, count, work, |results| {
        let is_interrupted = collect(count, &results, interrupts, found);
        // The results of stopped searches are incomplete. They are not received.
        drop(results);
        running.stop();
        is_interrupted
    });
    searched.context("the search cannot start")?
}

/// Calls `found` for each result until it returns `false`. Returns whether Ctrl-C has ended the searches.
fn collect(
    count: usize,
    results: &Receiver<(usize, Result<SearchResult, StartError>)>,
    interrupts: &Receiver<()>,
    mut found: impl FnMut(usize, SearchResult) -> Result<bool, Failure>,
) -> Result<bool, Failure> {
    for _ in 0..count {
        let result = select! {
            recv(interrupts) -> _ => return Ok(true),
            recv(results) -> result => result,
        };
        let (number, result) = result.context("a search thread failed")?;
        if !found(number, result.context("the search cannot start")?)? {
            break;
        }
    }
    Ok(false)
}

/// The running searches; `None` after [`Self::stop`].
struct RunningSearches(Mutex<Option<Vec<Arc<Control>>>>);

impl RunningSearches {
    /// Adds a search, and stops it if [`Self::stop`] has been called.
    fn add(&self, control: &Arc<Control>) {
        match &mut *self.0.lock() {
            None => control.stop(),
            Some(controls) => {
                // A control that only this list still holds belongs to a search that has ended.
                controls.retain(|control| Arc::strong_count(control) > 1);
                controls.push(control.clone());
            }
        }
    }

    fn stop(&self) {
        let controls = self.0.lock().take();
        controls.iter().flatten().for_each(|control| control.stop());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_a_node_limit_and_no_tablebases() {
        let request = |elo| {
            let plan = SearchPlan { elo, ..SearchPlan::new(1, 1, Tables::embedded()) };
            plan.request(&Game::startpos(), &Control::new(false))
        };
        let full = request(None);
        assert!(full.tablebases.is_some() && full.limits.nodes.is_none());
        assert_eq!(full.settings.root_noise, 0);
        let weak = request(Some(500));
        assert!(weak.tablebases.is_none() && weak.limits.nodes.is_some());
        assert!(weak.settings.root_noise > 0);
    }
}
