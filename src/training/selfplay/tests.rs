//! Tests of self-play runs: interruption, damage, openings and stored plans.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::*;
use crate::training::data::{Filter, GameReader, NO_SCORE, Record};

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
fn missing_numbers_come_first() {
    let numbers = |present: &[u32], games| -> Vec<u32> { numbers(present, games).collect() };
    assert_eq!(numbers(&[], 3), [0, 1, 2]);
    assert_eq!(numbers(&[0, 1, 4], 7), [2, 3, 5, 6]);
    assert_eq!(numbers(&[0, 4], 3), [1, 2]);
    assert!(numbers(&[0, 1, 2], 3).is_empty());
    assert_eq!(numbers(&[u32::MAX], 2), [0, 1]);
}

#[test]
fn games_are_legal_and_have_a_score_after_the_opening() {
    let (_folder, path, _) = scratch();
    play(&path, settings(12, 2));
    for record in records(&path) {
        let Record::Game(game) = &record else { panic!("a game") };
        let random = usize::from(game.random_plies);
        assert!((8..=10).contains(&random));
        for (ply, scored) in game.moves.iter().enumerate() {
            assert_eq!(scored.score == NO_SCORE, ply < random, "ply {ply}");
        }
        // The search that accepted the opening had fewer entries in its hash table, so its score may differ.
        assert!(game.moves[random].score.unsigned_abs() < 1000);
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
    let text = r#"{"made_by":"selfplay","version":"1","signature":2,"nodes":3,"hash":4,"seed":5}"#;
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
    let older = SelfPlayPlan { signature: plan.signature + 1, ..plan };
    for plan in [Some(serde_json::to_string(&older).unwrap()), None] {
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
