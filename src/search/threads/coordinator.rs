//! The thread that passes requests on to the search threads.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crossbeam_channel::{Sender, unbounded};

use super::request_handler::RequestHandler;
use super::search_thread::{SearchThread, ThreadMessage};
use crate::search::event::Event;
use crate::search::request::SearchRequest;
use crate::search::tree::Iteration;
use crate::search::tree::SharedState;
use crate::search::tt::TranspositionTable;

/// The messages to the coordinating thread.
pub enum Message {
    Search(Box<SearchRequest>),
    MoreThreads(Vec<SearchThread>),
    /// Keeps this number of threads and ends the others.
    FewerThreads(usize),
    Tt(Arc<TranspositionTable>),
    Clear,
    /// Answered when all earlier messages have been handled.
    Sync(Sender<()>),
}

/// Passes requests on to the threads and collects their results.
pub struct Coordinator {
    threads: Vec<SearchThread>,
    tt: Arc<TranspositionTable>,
    events: Sender<Event>,
    handler: RequestHandler,
}

impl Coordinator {
    pub fn new(first: SearchThread, tt: Arc<TranspositionTable>, events: Sender<Event>) -> Self {
        Self {
            threads: vec![first],
            tt,
            handler: RequestHandler::new(Some(events.clone())),
            events,
        }
    }

    pub fn handle(&mut self, message: Message) {
        match message {
            Message::Search(request) => {
                let (threads, tt) = (&self.threads, &self.tt);
                let run = |shared: &Arc<SharedState>| run(threads, shared);
                let found = (self.handler).search(*request, tt, threads.len(), run);
                // Sending fails if the receiver was dropped because the process is exiting.
                let _ = self.events.send(Event::Done(found.outcome));
            }
            Message::MoreThreads(threads) => self.threads.extend(threads),
            Message::FewerThreads(kept) => {
                self.threads.drain(kept..).for_each(SearchThread::end);
            }
            Message::Tt(tt) => {
                for thread in &self.threads {
                    thread.send(ThreadMessage::UseTt(tt.clone()));
                }
                self.tt = tt;
            }
            Message::Clear => {
                self.handler.clear();
                for thread in &self.threads {
                    thread.send(ThreadMessage::Clear);
                }
            }
            Message::Sync(done) => {
                let _ = done.send(());
            }
        }
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        std::mem::take(&mut self.threads)
            .into_iter()
            .for_each(SearchThread::end);
    }
}

/// Runs the search on all threads; the first result is that of the first thread.
fn run(threads: &[SearchThread], shared: &Arc<SharedState>) -> Vec<Iteration> {
    let (sender, receiver) = unbounded();
    for thread in threads {
        thread.send(ThreadMessage::Search(shared.clone(), sender.clone()));
    }
    drop(sender);
    let mut results: Vec<_> = receiver
        .iter()
        .inspect(|(id, _)| {
            if *id == 0 {
                shared.finished.store(true, Ordering::Relaxed);
            }
        })
        .collect();
    results.sort_by_key(|(id, _)| *id);
    results.into_iter().map(|(_, result)| result).collect()
}
