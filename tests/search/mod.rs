//! The search through its public interface.

mod limits;
mod repetitions;
mod requests;
mod techniques;

use std::time::Duration;

use chuhe::notation::fen::parse_position;
use chuhe::rules::Game;
use chuhe::search::{Event, Info, Limits, Outcome, Pool, Report, SearchRequest};
use crossbeam_channel::{Receiver, unbounded};

/// Maximum time to wait for the next event, for busy machines.
const TIMEOUT: Duration = Duration::from_secs(120);

pub fn request(fen: &str, limits: Limits) -> SearchRequest {
    SearchRequest::new(Game::new(parse_position(fen).expect(fen)), limits)
}

pub struct Engine {
    pub pool: Pool,
    pub events: Receiver<Event>,
}

impl Engine {
    /// A pool of one thread with a hash table of 8 MB.
    pub fn new() -> Self {
        let (sender, events) = unbounded();
        let mut pool = Pool::new(sender).unwrap();
        pool.set_hash_size(8).expect("8 MB are free");
        Self { pool, events }
    }

    /// Searches; returns the reported lines and the outcome, after which no event may follow.
    pub fn run(&self, request: SearchRequest) -> (Vec<Info>, Outcome) {
        self.pool.start(request);
        let mut infos = Vec::new();
        loop {
            let event = self.events.recv_timeout(TIMEOUT);
            match event.expect("the search answers") {
                Event::Report(Report::Line(info)) => infos.push(info),
                Event::Report(_) => {}
                Event::Done(result) => {
                    assert!(self.events.is_empty(), "nothing follows the answer");
                    return (infos, result.outcome);
                }
            }
        }
    }
}
