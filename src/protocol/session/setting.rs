//! Changing options.

use std::io::Write;

use super::Session;
use super::offers::Offers;
use crate::protocol::codec::Reply;
use crate::protocol::options::{self, Change, Setting};

impl<W: Write> Session<W> {
    /// Sets an option. One never offered is passed over: clients set what they know, not what they
    /// were told.
    pub(super) fn set_option(&mut self, name: &str, value: Option<&str>) {
        match options::read(name, value) {
            None => log::info!("no option {name}"),
            Some(Err(reason)) => self.refuse("setoption", &reason),
            Some(Ok(Setting { change, note })) => {
                if let Some(note) = note {
                    self.say(&Reply::Message(&note));
                }
                self.apply(change);
            }
        }
    }

    fn apply(&mut self, change: Change) {
        let before = self.preferences.search;
        let preferences = &mut self.preferences;
        match change {
            Change::Milliseconds(on) => preferences.milliseconds = on,
            Change::Batch(on) => preferences.batch = on,
            Change::Debug(on) => preferences.debug = on,
            Change::Ponder(on) => preferences.search.ponder = on,
            Change::Promotion(on) => self.set_promotion(on),
            Change::Resign(on) => preferences.resign = on,
            Change::Draw(on) => preferences.draw = on,
            Change::HashSize(megabytes) => self.set_hash_size(megabytes),
            Change::Threads(threads) => self.set_threads(threads),
            Change::MultiPv(lines) => preferences.search.multipv = lines,
            Change::Idle(level) => preferences.search.idle = level,
            Change::Rules(rules) => preferences.search.rules = rules,
            Change::Pruning(level) => preferences.search.pruning = level,
            Change::Knowledge(level) => preferences.search.knowledge = level,
            Change::Randomness(randomness) => preferences.search.randomness = randomness,
            Change::Style(style) => preferences.search.style = style,
            Change::NewGame => self.new_game(),
        }
        if !before.scores_like(&self.preferences.search) {
            self.pool.forget();
        }
    }

    /// Forgets the last game; the board stays as it is.
    pub(super) fn new_game(&mut self) {
        self.pool.forget();
        self.offers = Offers::default();
    }

    /// Turns the promotion variant on or off, and reads the position by its rules.
    fn set_promotion(&mut self, on: bool) {
        if self.preferences.promotion == on {
            return;
        }
        self.preferences.promotion = on;
        self.pool.forget();
        if let Err(reasons) = self.board.read_again(on) {
            self.refuse("position", &reasons);
        }
    }

    fn set_hash_size(&mut self, megabytes: usize) {
        if self.preferences.hash_size == megabytes {
            return;
        }
        match self.pool.set_hash_size(megabytes) {
            Ok(in_force) => {
                log::info!("hash table of {in_force} MB");
                self.preferences.hash_size = megabytes;
            }
            Err(error) => self.refuse("setoption", &error.to_string()),
        }
    }

    fn set_threads(&mut self, threads: usize) {
        if self.preferences.threads == threads {
            return;
        }
        match self.pool.set_threads(threads) {
            Ok(in_force) => {
                log::info!("{in_force} search threads");
                self.preferences.threads = threads;
            }
            Err(error) => self.refuse("setoption", &error.to_string()),
        }
    }
}
