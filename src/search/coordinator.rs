//! The thread that hands requests to the search threads and gathers what they found.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use crossbeam_channel::{Sender, unbounded};

use super::clock::TimeBudget;
use super::deepening::Iteration;
use super::event::{Event, Outcome};
use super::lag::Lag;
use super::request::{Control, Limits, SearchRequest, Settings};
use super::root::RootMove;
use super::select::choose;
use super::table::Table;
use super::team::Team;
use super::worker::{Job, Worker};
use crate::board::Move;
use crate::movegen::{is_legal, legal_moves};

use crate::rules::Game;

/// Stack of a search thread: the deepest recursion in an unoptimised build.
const STACK_BYTES: usize = 32 << 20;

/// What a search thread is told.
enum Order {
    Search(Arc<Job>, Sender<(usize, Iteration)>),
    UseTable(Arc<Table>),
    Forget,
}

pub(super) struct Thread {
    orders: Sender<Order>,
    handle: JoinHandle<()>,
}

impl Thread {
    pub(super) fn start(id: usize, table: Arc<Table>) -> std::io::Result<Self> {
        let (orders, inbox) = unbounded();
        let handle = std::thread::Builder::new()
            .name(format!("search-{id}"))
            .stack_size(STACK_BYTES)
            .spawn(move || {
                let mut worker = Worker::new(id, table, idle_job());
                for order in inbox {
                    match order {
                        Order::Search(job, results) => {
                            let search = AssertUnwindSafe(|| {
                                worker.prepare(job);
                                let result = worker.iterate();
                                worker.flush_nodes();
                                result
                            });
                            match catch_unwind(search) {
                                // The asker waits for every thread it asked.
                                Ok(result) => drop(results.send((id, result))),
                                // A fault of ours, already reported, may cost this search but no
                                // later one.
                                Err(_) => {
                                    worker = Worker::new(id, worker.table.clone(), idle_job());
                                }
                            }
                        }
                        Order::UseTable(table) => worker.table = table,
                        Order::Forget => worker.histories.clear(),
                    }
                }
            })?;
        Ok(Self { orders, handle })
    }
}

fn idle_job() -> Arc<Job> {
    Arc::new(Job {
        game: Game::startpos(),
        limits: Limits::default(),
        settings: Settings::default(),
        control: Control::new(false),
        root_moves: Vec::new(),
        budget: None,
        nodes: AtomicU64::new(0),
        finished: AtomicBool::new(false),
        events: None,
        team: None,
    })
}

/// What the coordinating thread is told.
pub(super) enum Message {
    Search(Box<SearchRequest>),
    Threads(Vec<Thread>),
    Table(Arc<Table>),
    Forget,
    /// Answered when everything before it is done.
    Sync(Sender<()>),
}

/// Hands requests to the threads and gathers what they found.
pub(super) struct Coordinator {
    threads: Vec<Thread>,
    table: Arc<Table>,
    events: Sender<Event>,
    lag: Lag,
}

impl Coordinator {
    pub(super) fn new(first: Thread, table: Arc<Table>, events: Sender<Event>) -> Self {
        Self {
            threads: vec![first],
            table,
            events,
            lag: Lag::default(),
        }
    }

    pub(super) fn handle(&mut self, message: Message) {
        match message {
            Message::Search(request) => {
                let outcome = self.search(*request);
                // The receiver may be gone while the process ends.
                let _ = self.events.send(Event::Done(outcome));
            }
            Message::Threads(threads) => {
                let old = std::mem::replace(&mut self.threads, threads);
                end(old);
            }
            Message::Table(table) => {
                for thread in &self.threads {
                    let _ = thread.orders.send(Order::UseTable(table.clone()));
                }
                self.table = table;
            }
            Message::Forget => {
                self.lag = Lag::default();
                for thread in &self.threads {
                    let _ = thread.orders.send(Order::Forget);
                }
            }
            Message::Sync(done) => {
                let _ = done.send(());
            }
        }
    }

    fn search(&mut self, request: SearchRequest) -> Outcome {
        let mut root_moves = legal_moves(request.game.position()).to_vec();
        if let Some(allowed) = &request.root_moves {
            root_moves.retain(|m| allowed.contains(m));
        }
        let control = request.control.clone();
        if root_moves.is_empty() {
            let time = control.elapsed();
            return Outcome {
                best: None,
                ponder: None,
                score: None,
                depth: 0,
                nodes: 0,
                time,
            };
        }
        log::debug!("search with {:?}, {:?}", request.limits, request.settings);
        let lag = self.lag.expected(request.game.position(), &request.limits);
        let budget = TimeBudget::new(&request.limits, &request.settings, lag);
        let job = Arc::new(Job {
            game: request.game,
            limits: request.limits,
            settings: request.settings,
            control: request.control,
            root_moves,
            budget,
            nodes: AtomicU64::new(0),
            finished: AtomicBool::new(false),
            events: Some(self.events.clone()),
            team: (self.threads.len() > 1).then(Team::default),
        });
        self.table.age();
        let results = self.run(&job);
        let chosen = choose(&results, &job.settings);
        if let Some(chosen) = chosen {
            self.report_choice(&job, &results, chosen);
        }
        // A thread that died of a fault of ours answers nothing, and a move is owed all the same.
        let best = chosen.map_or(job.root_moves[0], |c| c.played);
        let answer = (!control.is_pondering()).then(|| (best, control.clock_elapsed()));
        self.lag
            .note(&job.game, &job.limits, budget.as_ref(), answer);
        let outcome = Outcome {
            best: Some(best),
            ponder: chosen.and_then(|c| self.expected_reply(&job, &c.pv)),
            score: chosen.map(|c| c.score),
            depth: chosen.map_or(0, |c| c.depth as u32),
            nodes: job.nodes.load(Ordering::Relaxed),
            time: control.elapsed(),
        };
        log::debug!("{outcome:?}");
        outcome
    }

    /// Runs the job on all threads; the first result is that of the first thread.
    fn run(&self, job: &Arc<Job>) -> Vec<Iteration> {
        let (sender, receiver) = unbounded();
        for thread in &self.threads {
            let _ = thread
                .orders
                .send(Order::Search(job.clone(), sender.clone()));
        }
        drop(sender);
        let mut results: Vec<_> = receiver
            .iter()
            .inspect(|(id, _)| {
                if *id == 0 {
                    job.finished.store(true, Ordering::Relaxed);
                }
            })
            .collect();
        results.sort_by_key(|(id, _)| *id);
        results.into_iter().map(|(_, result)| result).collect()
    }

    /// Reports the line of the move played once more, where it is not the best of the first thread.
    fn report_choice(&self, job: &Job, results: &[Iteration], chosen: &RootMove) {
        let lines = &results[0].moves;
        if lines[0].gist() == chosen.gist() {
            return;
        }
        let place = lines.iter().position(|m| m.played == chosen.played);
        let multipv = match job.settings.multipv {
            1 => 1,
            _ => place.map_or(1, |place| place + 1),
        };
        let nodes = job.nodes.load(Ordering::Relaxed);
        let info = chosen.info(multipv, nodes, job.control.elapsed(), &self.table);
        // The receiver may be gone while the process ends.
        let _ = self.events.send(Event::Info(info));
    }

    /// The second move of the main line, or what the hash table expects.
    fn expected_reply(&self, job: &Job, pv: &[Move]) -> Option<Move> {
        let mut game = job.game.clone();
        game.push(*pv.first()?).ok()?;
        let expected = match pv.get(1) {
            Some(m) => *m,
            None => self.table.probe(game.position().key())?.best,
        };
        is_legal(game.position(), expected).then_some(expected)
    }
}

fn end(threads: Vec<Thread>) {
    for Thread { orders, handle } in threads {
        drop(orders);
        // A panic of the thread was reported when it happened.
        let _ = handle.join();
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        end(std::mem::take(&mut self.threads));
    }
}
