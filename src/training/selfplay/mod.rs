//! Self-play with a node limit per move, from random openings or with good moves from the starting position.

mod plan;
mod player;

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
            let found: SelfPlayPlan = serde_json::from_str(&text).map_err(|_| {
                if existing.damage.is_empty() {
                    SelfPlayError::NoPlan
                } else {
                    SelfPlayError::DamagedPlan(existing.damage)
                }
            })?;
            if (&found.version, found.signature, found.revision)
                != (&wanted.version, wanted.signature, wanted.revision)
            {
                return Err(SelfPlayError::OtherEngine);
            }
            if found != wanted {
                let [found, wanted] = differences([&text, &wanted_text]);
                return Err(SelfPlayError::OtherPlan { found, wanted });
            }
            let is_foreign = existing.seeds.iter().any(|seed| *seed != found.seed);
            let distinct = existing.numbers.chunk_by(u32::eq).count() as u64;
            if is_foreign || distinct != existing.games {
                return Err(SelfPlayError::OtherGames);
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
        missing_numbers(&self.numbers, end.min(self.settings.games)).count()
    }

    /// Plays the games that are not in the file. Calls `progress` whenever games have been written. With any number of
    /// threads the games are written in the same order: first those missing before the last game of the file, then the
    /// others, by number.
    pub fn play(
        self,
        interrupt: &Interrupt,
        progress: impl Fn(SelfPlayProgress) + Sync,
    ) -> Result<SelfPlayProgress, SelfPlayError> {
        let numbers = || missing_numbers(&self.numbers, self.settings.games);
        let players = players(&self.settings, numbers().count())?;
        let places = Mutex::new((0..).zip(numbers()));
        let sequence = Mutex::new(Sequence {
            writer: self.writer,
            next: 0,
            waiting: BTreeMap::new(),
            written: self.present,
            failure: None,
        });
        let work = |mut player: Player| {
            while !interrupt.is_requested() && sequence.lock().failure.is_none() {
                let next = places.lock().next();
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
fn missing_numbers(present: &[u32], games: u32) -> impl Iterator<Item = u32> {
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

/// One player per thread, but not more than `games`.
fn players(settings: &SelfPlaySettings, games: usize) -> Result<Vec<Player>, SelfPlayError> {
    let wanted = settings.threads.max(1).min(games);
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use tempfile::TempDir;

    use super::*;
    use crate::training::data::{Filter, GameReader, MAGIC, NO_SCORE, Record};

    fn settings(games: u32, threads: usize) -> SelfPlaySettings {
        SelfPlaySettings {
            games,
            nodes: 20,
            threads,
            hash: 1,
            seed: 5,
            opening: Opening::Random,
            opening_score: 200,
            random_moves: 0,
            network: None,
        }
    }

    fn play(path: &Path, settings: SelfPlaySettings) -> SelfPlayProgress {
        let run = SelfPlayRun::open(path, settings).unwrap();
        run.play(&Interrupt::default(), |_| ()).unwrap()
    }

    fn records(path: &Path) -> Vec<Record> {
        let mut reader = GameReader::new(fs::File::open(path).unwrap()).unwrap();
        std::iter::from_fn(|| reader.next_record().unwrap()).collect()
    }

    /// Whether the games of a file were made with other settings.
    fn is_other_plan(path: &Path, settings: SelfPlaySettings) -> bool {
        let opened = SelfPlayRun::open(path, settings);
        matches!(opened, Err(SelfPlayError::OtherPlan { .. }))
    }

    /// A temporary folder and two paths in it.
    fn scratch() -> (TempDir, PathBuf, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (folder.path().join("one.chg"), folder.path().join("other.chg"));
        (folder, one, other)
    }

    #[test]
    fn an_interrupted_run_ends_like_an_uninterrupted_one() {
        let (_folder, whole, cut) = scratch();
        let done = play(&whole, settings(20, 1));
        let games = records(&whole);
        assert_eq!((done.games, games.len()), (20, 20));
        // With one thread the run stops at once. With two, the other thread may have finished a later game.
        for threads in [2, 1] {
            let _ = fs::remove_file(&cut);
            let interrupt = Interrupt::default();
            let run = SelfPlayRun::open(&cut, settings(20, threads)).unwrap();
            run.play(&interrupt, |progress| {
                if progress.games >= 3 {
                    interrupt.request();
                }
            })
            .unwrap();
            let first = records(&cut);
            assert!(first.len() >= 3 && games.starts_with(&first));
            assert!(threads == 2 || first.len() == 3);
            let torn = fs::read(&cut).unwrap();
            fs::write(&cut, &torn[..torn.len() - 1]).unwrap();
            assert_eq!(play(&cut, settings(20, 2)), done);
            assert!(records(&cut) == games);
        }
        assert_eq!(play(&cut, settings(20, 2)), done, "there is nothing to do");

        // A refused file is not changed.
        let mut torn = fs::read(&cut).unwrap();
        torn.extend(b"CHGB");
        fs::write(&cut, &torn).unwrap();
        let other = SelfPlaySettings { nodes: 21, ..settings(20, 1) };
        assert!(is_other_plan(&cut, other));
        assert!(fs::read(&cut).unwrap() == torn);
    }

    #[test]
    fn games_lost_to_damage_are_played_again() {
        let (_folder, path, other) = scratch();
        let done = play(&other, settings(40, 2));
        let games = records(&other);
        // A block has sixteen games, so there are two full blocks and a short one. The second one is damaged.
        let mut bytes = fs::read(&other).unwrap();
        let blocks: Vec<usize> = (bytes.windows(4).enumerate())
            .filter_map(|(at, window)| (window == b"CHGB").then_some(at))
            .collect();
        assert_eq!(blocks.len(), 4, "a plan and three blocks of games");
        bytes[blocks[2] + 100] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let mut without_plan = bytes.clone();
        without_plan[blocks[0] + 30] ^= 1;
        fs::write(&other, &without_plan).unwrap();
        let error = SelfPlayRun::open(&other, settings(40, 2)).unwrap_err();
        assert!(matches!(error, SelfPlayError::DamagedPlan(_)), "{error}");
        for round in 0..2 {
            let run = SelfPlayRun::open(&path, settings(40, 2)).unwrap();
            assert!(!run.damage.is_empty());
            assert_eq!(run.missing(), [16, 0][round]);
            assert_eq!(run.play(&Interrupt::default(), |_| ()).unwrap(), done);
            let found = records(&path);
            let (left, again) = found.split_at(24);
            assert!(left[..16] == games[..16] && left[16..] == games[32..]);
            assert!(again == &games[16..32]);
        }
    }

    #[test]
    fn files_with_games_of_other_files_are_not_continued() {
        let (_folder, one, other) = scratch();
        play(&one, settings(2, 1));
        play(&other, SelfPlaySettings { seed: 6, games: 3, ..settings(3, 1) });
        let [bytes, others] = [&one, &other].map(|path| fs::read(path).unwrap());
        for added in [&bytes, &others] {
            let both = [&bytes, &added[MAGIC.len()..]].concat();
            fs::write(&one, &both).unwrap();
            let error = SelfPlayRun::open(&one, settings(9, 1)).unwrap_err();
            assert!(matches!(error, SelfPlayError::OtherGames), "{error}");
            assert!(fs::read(&one).unwrap() == both, "the file is not changed");
        }
    }

    #[test]
    fn there_are_not_more_players_than_games() {
        assert_eq!(players(&settings(9, 3), 2).unwrap().len(), 2);
    }

    #[test]
    fn missing_numbers_come_first() {
        let numbers =
            |present: &[u32], games| -> Vec<u32> { missing_numbers(present, games).collect() };
        assert_eq!(numbers(&[], 3), [0, 1, 2]);
        assert_eq!(numbers(&[0, 1, 4], 7), [2, 3, 5, 6]);
        assert_eq!(numbers(&[0, 4], 3), [1, 2]);
        assert!(numbers(&[0, 1, 2], 3).is_empty());
        assert_eq!(numbers(&[u32::MAX], 2), [0, 1]);
    }

    #[test]
    fn games_are_legal_and_have_a_score_after_the_opening() {
        let (_folder, path, _) = scratch();
        play(&path, settings(40, 2));
        for record in records(&path) {
            let Record::Game(game) = &record else { panic!("a game") };
            let random = usize::from(game.random_plies);
            assert!((8..=10).contains(&random));
            for (ply, scored) in game.moves.iter().enumerate() {
                assert_eq!(scored.score == NO_SCORE, ply < random, "ply {ply}");
            }
            assert!(game.moves[random].score.unsigned_abs() <= 200);
            record.visit(&Filter::NONE, |_| ()).unwrap();
        }
    }

    #[test]
    fn random_quiet_moves_have_no_score() {
        let (_folder, path, other) = scratch();
        let random = SelfPlaySettings { random_moves: 100, ..settings(12, 2) };
        play(&path, random.clone());
        play(&other, settings(12, 2));
        let mut found = 0;
        for record in records(&path) {
            let Record::Game(game) = &record else { panic!("a game") };
            let played = &game.moves[usize::from(game.random_plies)..];
            let unscored: Vec<usize> =
                (0..played.len()).filter(|ply| played[*ply].score == NO_SCORE).collect();
            assert!(unscored.len() <= 1 && unscored.iter().all(|ply| (8..=40).contains(ply)));
            found += unscored.len();
            record.visit(&Filter::NONE, |_| ()).unwrap();
        }
        assert!(found >= 6, "{found} of 12 games have a random move");
        assert!(records(&path) != records(&other));
        assert!(is_other_plan(&other, random));
    }

    #[test]
    fn good_openings_begin_at_the_start_and_differ() {
        let (_folder, alone, together) = scratch();
        let good = GoodOpening { plies: 6, lines: 3, margin: 30 };
        let settings =
            |threads| SelfPlaySettings { opening: Opening::Good(good), ..settings(12, threads) };
        play(&alone, settings(1));
        play(&together, settings(3));
        let games = records(&alone);
        assert!(games == records(&together), "the players share the cache of good moves");
        let mut lines = std::collections::HashSet::new();
        for record in &games {
            let Record::Game(game) = record else { panic!("a game") };
            assert_eq!((game.start.is_none(), game.random_plies), (true, 0));
            assert!(game.moves.iter().all(|m| m.score != NO_SCORE));
            let opening = game.moves[..6].iter().map(|m| m.played.to_string());
            lines.insert(opening.collect::<String>());
            record.visit(&Filter::NONE, |_| ()).unwrap();
        }
        assert!(lines.len() > 6, "{lines:?}");
        // A file with other openings is not continued.
        let other = SelfPlaySettings { opening: Opening::Random, ..settings(1) };
        assert!(is_other_plan(&alone, other));
    }

    #[test]
    fn stored_plans_of_random_openings_are_read() {
        let text =
            r#"{"made_by":"selfplay","version":"1","signature":2,"nodes":3,"hash":4,"seed":5}"#;
        let plan: SelfPlayPlan = serde_json::from_str(text).unwrap();
        assert_eq!(plan.opening, Opening::Random);
        assert_eq!((plan.opening_score, plan.random_moves), (450, 0));
        assert_eq!(serde_json::to_string(&plan).unwrap(), text);
    }

    #[test]
    fn only_differing_settings_are_named() {
        let found = r#"{"nodes":100,"seed":1,"hash":2}"#;
        let wanted = r#"{"nodes":50,"random_moves":5,"hash":2}"#;
        let texts =
            ["nodes=100, random_moves=default, seed=1", "nodes=50, random_moves=5, seed=default"];
        assert_eq!(differences([found, wanted]), texts);
    }

    #[test]
    fn games_of_another_engine_and_files_without_settings_are_not_continued() {
        let (_folder, one, other) = scratch();
        play(&one, settings(1, 1));
        let plan = SelfPlayPlan::new(&settings(1, 1)).unwrap();
        let other_engine = SelfPlayPlan { signature: plan.signature + 1, ..plan.clone() };
        let older = SelfPlayPlan { revision: 0, ..plan };
        let plans = [other_engine, older].map(|plan| serde_json::to_string(&plan).unwrap());
        for plan in plans.into_iter().map(Some).chain([None]) {
            let _ = fs::remove_file(&other);
            let mut writer = OpenedFile::open(&other).unwrap().0.writer().unwrap();
            if let Some(plan) = &plan {
                writer.plan(plan).unwrap();
            }
            writer.record(&records(&one)[0]).unwrap();
            writer.flush().unwrap();
            drop(writer);
            let error = SelfPlayRun::open(&other, settings(1, 1)).unwrap_err();
            let is_expected = match error {
                SelfPlayError::OtherEngine => plan.is_some(),
                SelfPlayError::NoPlan => plan.is_none(),
                _ => false,
            };
            assert!(is_expected, "{error}");
        }
    }
}
