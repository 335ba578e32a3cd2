//! Self-play with a node limit per move, from random openings or with good moves from the starting position.

mod plan;
mod player;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;

use super::data::{AppendError, FileDamage, GameWriter, OpenedFile, Record};
use crate::search::{StartError, has_room_for_searches, spawn_search_thread};
pub use plan::{
    GoodOpening, Interrupt, Opening, SelfPlayError, SelfPlayPlan, SelfPlayProgress,
    SelfPlaySettings,
};
use player::{KnownMoves, Player, SelfPlayGame};

/// A self-play run: a game file and the settings by which its games are played.
#[derive(Debug)]
pub struct SelfPlayRun {
    settings: SelfPlaySettings,
    writer: GameWriter<File>,
    /// The numbers of the games in the file, in ascending order.
    numbers: Vec<u32>,
    /// The games already in the file.
    pub present: SelfPlayProgress,
    pub damage: FileDamage,
}

impl SelfPlayRun {
    /// Opens or creates the file.
    ///
    /// # Errors
    /// The file cannot be read or written, is not a game file, is being written by another process or was made with
    /// other settings, or no search can be started.
    pub fn open(path: &Path, settings: SelfPlaySettings) -> Result<Self, SelfPlayError> {
        // This runs a bench before the file is created, so that an interruption during it leaves no empty file.
        let wanted = SelfPlayPlan::new(&settings)?;
        let (opened, existing) = OpenedFile::open(path)?;
        let wanted_text = serde_json::to_string(&wanted).unwrap_or_default();
        let is_new = existing.plan.is_none() && existing.games == 0;
        if !is_new {
            let text = existing.plan.unwrap_or_default();
            let found: SelfPlayPlan =
                serde_json::from_str(&text).map_err(|_| SelfPlayError::NoPlan)?;
            if (&found.version, found.signature) != (&wanted.version, wanted.signature) {
                return Err(SelfPlayError::OtherEngine);
            }
            if found != wanted {
                let [found, wanted] = differences([&text, &wanted_text]);
                return Err(SelfPlayError::OtherPlan { found, wanted });
            }
        }
        let mut writer = opened.writer().map_err(AppendError::Io)?;
        if is_new {
            writer.plan(&wanted_text)?;
        }
        Ok(Self {
            numbers: existing.numbers,
            settings,
            writer,
            present: SelfPlayProgress { games: existing.games, positions: existing.scored },
            damage: existing.damage,
        })
    }

    /// Number of games missing before the last one of the file, because of damage or because no opening was found.
    /// They are played first.
    pub fn missing(&self) -> usize {
        let end = self.numbers.last().map_or(0, |last| last.saturating_add(1));
        numbers(&self.numbers, end.min(self.settings.games)).count()
    }

    /// Plays the games that are not in the file. Calls `progress` whenever games have been written. With any number of
    /// threads the games are written in the same order: first those missing before the last game of the file, then the
    /// others, by number.
    pub fn play(
        self,
        interrupt: &Interrupt,
        progress: impl Fn(SelfPlayProgress) + Sync,
    ) -> Result<SelfPlayProgress, SelfPlayError> {
        let players = players(&self.settings)?;
        let numbers = numbers(&self.numbers, self.settings.games);
        let numbers = Mutex::new((0..).zip(numbers));
        let sequence = Mutex::new(Sequence {
            writer: self.writer,
            next: 0,
            waiting: BTreeMap::new(),
            written: self.present,
            failure: None,
        });
        let work = |mut player: Player| {
            while !interrupt.is_requested() && sequence.lock().failure.is_none() {
                let next = numbers.lock().next();
                let Some((place, number)) = next else {
                    return;
                };
                let game = player.game(number, &|| interrupt.drops_games());
                let written = sequence.lock().push(place, game);
                if let Some(now) = written {
                    progress(now);
                }
            }
        };
        let started_threads = std::thread::scope(|scope| {
            for player in players {
                let work = &work;
                if let Err(error) = spawn_search_thread(scope, move || work(player)) {
                    // The run fails because it cannot have all threads. This stops the threads already started.
                    interrupt.request();
                    return Err(error);
                }
            }
            Ok(())
        });
        started_threads.map_err(SelfPlayError::Thread)?;
        sequence.into_inner().finish()
    }
}

/// The numbers of the games to play, in order: those below `games` that are not in `present`, which is ascending.
fn numbers(present: &[u32], games: u32) -> impl Iterator<Item = u32> {
    (0..games).filter(|number| present.binary_search(number).is_err())
}

/// The settings in which two plans as JSON differ, as `nodes=400, seed=1`.
fn differences(plans: [&str; 2]) -> [String; 2] {
    let [left, right]: &[BTreeMap<String, Value>; 2] =
        &plans.map(|plan| serde_json::from_str(plan).unwrap_or_default());
    let differing = |of: &BTreeMap<String, Value>| {
        let keys = left.keys().chain(right.keys()).collect::<BTreeSet<_>>();
        let keys = keys.into_iter().filter(|key| left.get(*key) != right.get(*key));
        // A setting that is missing has its default.
        let texts = keys.map(|key| match of.get(key) {
            Some(value) => format!("{key}={value}"),
            None => format!("{key}=default"),
        });
        texts.collect::<Vec<_>>().join(", ")
    };
    [differing(left), differing(right)]
}

/// One player per thread.
fn players(settings: &SelfPlaySettings) -> Result<Vec<Player>, SelfPlayError> {
    let wanted = settings.threads.max(1);
    let known = Arc::new(KnownMoves::default());
    let mut players = Vec::new();
    while players.len() < wanted {
        let player = if has_room_for_searches(players.len() + 1) {
            Player::new(settings, &known)
        } else {
            Err(StartError::NoMemory(settings.hash))
        };
        players.push(player.map_err(|error| SelfPlayError::TooMany {
            wanted,
            fit: players.len(),
            error,
        })?);
    }
    Ok(players)
}

/// Writes games in the order of their places, although they finish in any order.
struct Sequence {
    writer: GameWriter<File>,
    /// The next place to write.
    next: u32,
    /// Finished games that are not written yet; `None` for a place without a game.
    waiting: BTreeMap<u32, Option<Record>>,
    written: SelfPlayProgress,
    /// The first error.
    failure: Option<SelfPlayError>,
}

impl Sequence {
    /// Adds the game of a place, from 0, and writes all games that are next in order. Returns the new progress if
    /// any were written.
    fn push(&mut self, place: u32, game: SelfPlayGame) -> Option<SelfPlayProgress> {
        match game {
            SelfPlayGame::Game(game) => self.waiting.insert(place, Some(Record::Game(game))),
            SelfPlayGame::NoOpening => self.waiting.insert(place, None),
            // The place is never filled, so the games at later places are not written either.
            SelfPlayGame::Dropped => None,
            SelfPlayGame::Failed => {
                self.failure.get_or_insert(SelfPlayError::Search);
                None
            }
        };
        let before = self.written;
        while let Some(record) = self.waiting.remove(&self.next) {
            self.next += 1;
            if let Some(record) = record
                && let Err(error) = self.write(&record)
            {
                self.failure.get_or_insert(error.into());
                return None;
            }
        }
        (self.written != before).then_some(self.written)
    }

    fn write(&mut self, record: &Record) -> Result<(), AppendError> {
        if self.writer.record(record)? {
            self.writer.flush()?.sync_data()?;
        }
        self.written.games += 1;
        self.written.positions += record.scored_positions() as u64;
        Ok(())
    }

    /// Writes the last block.
    fn finish(mut self) -> Result<SelfPlayProgress, SelfPlayError> {
        self.writer.flush()?.sync_data().map_err(AppendError::Io)?;
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(self.written),
        }
    }
}
