use std::fs;
use std::time::Duration;

use super::*;
use crate::rules::RuleSet;
use crate::tournament::{
    Adjudication, ColorOrder, GameRules, Openings, PartialEngineSpec, Timeouts, TournamentFormat,
    read_toml,
};

const STORED_V2: &str = include_str!("stored/v2.jsonl");

/// The tournament of the stored journal.
fn tournament() -> Tournament {
    let text = r#"
        [each]
        nice = 5
        [[engine]]
        name = "one"
        cmd = "/no/engine"
        proto = "ucci"
        ranks = 0
        depth = 3
        [[engine]]
        name = "two"
        cmd = "/no/other"
        args = ["-v", "x y"]
        proto = "uci"
        ranks = 1
        options = { Hash = 16 }
        tc = "10+0.1"
        ponder = true
    "#;
    let (each, engines) = read_toml(text).unwrap();
    let spec = |engine: PartialEngineSpec| {
        let mut spec = engine.spec(&each).unwrap();
        // On Windows the path was made absolute.
        spec.command = format!("/no/{}", spec.command.file_name().unwrap().display()).into();
        spec
    };
    Tournament {
        event: "stored".to_owned(),
        engines: engines.into_iter().map(spec).collect(),
        format: TournamentFormat::RoundRobin,
        seeds: 1,
        colors: ColorOrder::default(),
        has_single_games: false,
        rounds: Some(2),
        wait: Duration::ZERO,
        concurrency: 1,
        openings: Openings::start(),
        rules: GameRules {
            tablebases: None,
            rules: RuleSet::Asian,
            max_plies: Some(400),
            adjudication: Adjudication {
                win: None,
                draw: Some("score=10".parse().unwrap()),
                resign: None,
            },
            banmoves: false,
        },
        timeouts: Timeouts { ready: Duration::ZERO, untimed_move: Duration::ZERO },
        has_details: false,
        pin: false,
        sprt: Some("elo0=0,elo1=5".parse().unwrap()),
        factors: None,
        spsa: None,
    }
}

struct Scratch {
    directory: tempfile::TempDir,
    path: PathBuf,
}

fn scratch(text: &str) -> Scratch {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal");
    fs::write(&path, text).unwrap();
    Scratch { directory, path }
}

type Opened = Result<(Journal, JournalContent), JournalError>;

fn open(scratch: &Scratch, on_damage: OnDamage) -> Opened {
    open_for(&tournament(), scratch, on_damage)
}

fn open_for(tournament: &Tournament, scratch: &Scratch, on_damage: OnDamage) -> Opened {
    let pgn = Some(("/games.pgn".to_owned(), 77));
    Journal::open(&scratch.path, tournament, pgn, on_damage)
}

fn values(text: &str) -> Vec<serde_json::Value> {
    let value = |line| serde_json::from_str(line).unwrap();
    text.lines().map(value).collect()
}

fn numbers(content: &JournalContent) -> Vec<u64> {
    content.games.iter().map(|game| game.number).collect()
}

/// A change of the format needs a new version and a second stored journal.
#[test]
fn a_stored_journal_is_read() {
    let stored = scratch(STORED_V2);
    let (journal, content) = open(&stored, OnDamage::Refuse).unwrap();
    assert_eq!((journal.id(), journal.pgn_length()), ("00c0ffee00c0ffee", 12));
    assert_eq!((numbers(&content), content.voids), (vec![0, 3], 1));
    let moves = &content.games[0].moves;
    assert_eq!(moves[0].comment(), "+0.31/12 0.502s");
    assert_eq!(moves[1].comment(), "-M3/3 0.000s");
    drop(journal);
    // Writing the same content gives the stored file, except for the id, the PGN length and the process.
    let fresh = scratch("");
    let (mut journal, _) = open(&fresh, OnDamage::Refuse).unwrap();
    journal.add(&content.games[0]).unwrap();
    journal.add_void(3, "the machine stood still").unwrap();
    journal.add(&content.games[1]).unwrap();
    let written = fs::read_to_string(&fresh.path).unwrap();
    let written = written
        .replace(journal.id(), "00c0ffee00c0ffee")
        .replace("\"length\":77", "\"length\":12")
        .replace(&format!("\"process\":{}", std::process::id()), "\"process\":4711");
    let mut written = values(&written);
    let stored = values(STORED_V2);
    // The stored journal has no copy of the header.
    let run = written[1]["run"].as_object_mut().unwrap();
    assert_eq!(run.remove("header").as_ref(), Some(&stored[0]));
    assert_eq!(written, stored);
}

#[test]
fn an_open_journal_is_locked() {
    let stored = scratch(STORED_V2);
    let first = open(&stored, OnDamage::Refuse).unwrap();
    let error = open(&stored, OnDamage::Repair).unwrap_err().to_string();
    let owner = format!("process {} is playing this tournament", std::process::id());
    let unreadable = "another process is playing this tournament";
    // On Windows a locked file may be unreadable.
    let is_known = error.starts_with(&owner) || cfg!(windows) && error.starts_with(unreadable);
    assert!(is_known, "{error}");
    drop(first);
    let text = fs::read_to_string(&stored.path).unwrap();
    let added = text.strip_prefix(STORED_V2).map(|added| added.lines().count());
    assert_eq!(added, Some(1), "the second opening must not write: {text}");
    assert!(open(&stored, OnDamage::Refuse).is_ok());
}

#[test]
fn damage_is_reported_and_repaired_on_request() {
    let lines: Vec<&str> = STORED_V2.lines().collect();
    let [head, run, game, void, other] = lines[..] else { panic!("five lines") };
    for (middle, reason) in [
        ("notes", "line 3: expected value at column 1; "),
        (game, "line 4: game 1 is a duplicate"),
        ("{\"game\":{\"number\":1}}", "line 3: missing field"),
        (&game.replace("h9g7", "e4e5"), "line 3: game 1 has an invalid position or an illegal"),
        (&game.replace("rnbakabnr/", "x/"), "line 3: game 1 has an invalid position or an illegal"),
    ] {
        let text = [head, run, middle, game, void, other, "{\"ga"].join("\n");
        let damaged = scratch(&text);
        let error = open(&damaged, OnDamage::Refuse).unwrap_err().to_string();
        assert!(error.contains(reason) && error.contains("readable games: 2"), "{error}");
        assert_eq!(fs::read_to_string(&damaged.path).unwrap(), text);
        let (journal, content) = open(&damaged, OnDamage::Repair).unwrap();
        assert_eq!(numbers(&content), [0, 3]);
        assert_eq!((content.damaged_lines, content.voids), (1, 1));
        let kept = damaged.directory.path().join("journal.damaged");
        assert_eq!(fs::read_to_string(kept).unwrap(), text);
        drop(journal);
        let (_, content) = open(&damaged, OnDamage::Refuse).unwrap();
        assert_eq!((numbers(&content), content.voids), (vec![0, 3], 1));
    }
}

#[test]
fn a_repair_keeps_games_after_the_last_round() {
    let damaged = scratch(&format!("{STORED_V2}notes\n"));
    let shorter = Tournament { rounds: Some(1), ..tournament() };
    let (_, content) = open_for(&shorter, &damaged, OnDamage::Repair).unwrap();
    assert_eq!((numbers(&content), content.voids), (vec![0], 1));
    let (_, content) = open(&damaged, OnDamage::Refuse).unwrap();
    assert_eq!((numbers(&content), content.voids), (vec![0, 3], 1));
    // Duplicates among them are damage too.
    let last = STORED_V2.lines().last().unwrap();
    let error = open_for(&shorter, &scratch(&format!("{STORED_V2}{last}\n")), OnDamage::Refuse);
    assert!(error.unwrap_err().to_string().contains("game 4 is a duplicate"));
}

/// The stored games are the first and the last of two rounds. The pairing of the second round depends on the first.
#[test]
fn games_that_depend_on_missing_games_are_damage() {
    let text = STORED_V2.replace("\"format\":\"round-robin\"", "\"format\":\"swiss\"");
    let damaged = scratch(&text);
    let swiss = Tournament { format: TournamentFormat::Swiss, ..tournament() };
    let open = |on_damage| open_for(&swiss, &damaged, on_damage);
    let error = open(OnDamage::Refuse).unwrap_err().to_string();
    assert!(error.contains("game 4 depends on missing games"), "{error}");
    let (mut journal, content) = open(OnDamage::Repair).unwrap();
    assert_eq!((numbers(&content), content.damaged_lines), (vec![0], 1));
    for number in 1..4 {
        let mut game = content.games[0].clone();
        game.number = number;
        if number % 2 == 1 {
            game.players.0.swap(0, 1);
        }
        journal.add(&game).unwrap();
    }
    drop(journal);
    let (_, content) = open(OnDamage::Refuse).unwrap();
    assert_eq!(numbers(&content), [0, 1, 2, 3]);
}

#[test]
fn a_knockout_is_resumed_with_its_number_of_rounds() {
    let knockout =
        |rounds| Tournament { format: TournamentFormat::Knockout, rounds, ..tournament() };
    let (_, stored) = open(&scratch(STORED_V2), OnDamage::Refuse).unwrap();
    let fresh = scratch("");
    let open = |rounds| Journal::open(&fresh.path, &knockout(rounds), None, OnDamage::Refuse);
    drop(open(None).unwrap());
    let (mut journal, _) = open(Some(1)).unwrap();
    journal.add(&stored.games[0]).unwrap();
    drop(journal);
    let error = open(Some(2)).unwrap_err().to_string();
    assert!(error.ends_with("the numbers of rounds differ"), "{error}");
}

#[test]
fn a_damaged_header_is_restored_from_its_copy() {
    let stored = scratch(STORED_V2);
    // Another run adds a copy of the header.
    drop(open(&stored, OnDamage::Refuse).unwrap());
    let whole = fs::read_to_string(&stored.path).unwrap();
    let (head, rest) = whole.split_once('\n').unwrap();
    for damaged_head in ["", "\0\0\0", &head[1..], &head[..head.len() / 2]] {
        let text = format!("{damaged_head}\n{rest}");
        let damaged = scratch(&text);
        let error = open(&damaged, OnDamage::Refuse).unwrap_err().to_string();
        assert!(error.starts_with("line 1: "), "{error}");
        assert!(error.contains("readable games: 2; --repair"), "{error}");
        assert_eq!(fs::read_to_string(&damaged.path).unwrap(), text);
        let (journal, content) = open(&damaged, OnDamage::Repair).unwrap();
        assert_eq!((numbers(&content), content.damaged_lines), (vec![0, 3], 1));
        assert_eq!((journal.id(), journal.pgn_length()), ("00c0ffee00c0ffee", 12));
        let repaired = fs::read_to_string(&damaged.path).unwrap();
        assert_eq!(values(&repaired)[0], values(head)[0]);
        // A second repair keeps the first copy.
        drop(journal);
        fs::write(&damaged.path, &text).unwrap();
        drop(open(&damaged, OnDamage::Repair).unwrap());
        for kept in ["journal.damaged", "journal.damaged.2"] {
            let kept = damaged.directory.path().join(kept);
            assert_eq!(fs::read_to_string(kept).unwrap(), text);
        }
        // The copy must belong to this tournament.
        fs::write(&damaged.path, text.replace("elo1\":5.0", "elo1\":6.0")).unwrap();
        let error = open(&damaged, OnDamage::Repair).unwrap_err().to_string();
        assert!(error.contains("the SPRTs differ"), "{error}");
    }
    // Without a copy of the header the journal cannot be repaired.
    let (_, rest) = STORED_V2.split_once('\n').unwrap();
    let damaged = scratch(&format!("\n{rest}"));
    let error = open(&damaged, OnDamage::Repair).unwrap_err().to_string();
    assert!(error.contains("so the readable games (2) cannot be used"), "{error}");
}

#[test]
fn an_incomplete_last_line_is_dropped() {
    for cut in [1, 5, 40] {
        let torn = scratch(&STORED_V2[..STORED_V2.len() - cut]);
        let (mut journal, content) = open(&torn, OnDamage::Refuse).unwrap();
        assert_eq!((numbers(&content), content.has_incomplete_line), (vec![0], true));
        journal.add(&content.games[0].clone()).unwrap();
        let text = fs::read_to_string(&torn.path).unwrap();
        assert!(text.lines().all(|line| line.ends_with('}')), "{text}");
    }
}

#[test]
fn other_files_are_refused_and_unchanged() {
    let head = STORED_V2.lines().next().unwrap();
    for (text, reason) in [
        ("notes", "not a match journal"),
        ("notes\n", "not a match journal"),
        ("{}", "not a match journal"),
        (&head[..9], "is incomplete"),
        (head, "is incomplete"),
        ("{\"chuhe_match\":2}\n", "line 1: missing field"),
        ("{\"chuhe_match\":x}\n", "line 1: expected value"),
        ("{\"chuhe_match\":99}\n", "version 99"),
        (&head.replace("\"depth\":3", "\"depth\":4"), "is incomplete"),
        (
            &STORED_V2.replace("\"depth\":3", "\"depth\":4"),
            "the engines differ (depth: 3 instead of 4)",
        ),
        (
            &STORED_V2.replace("elo1\":5.0", "elo1\":6.0"),
            "the SPRTs differ (elo1: 5.0 instead of 6.0)",
        ),
        (
            &STORED_V2.replace("/games", "/other"),
            "the PGN files differ (path: \"/games.pgn\" instead of \"/other.pgn\")",
        ),
    ] {
        let other = scratch(text);
        let error = open(&other, OnDamage::Repair).unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
        assert_eq!(fs::read_to_string(&other.path).unwrap(), text);
    }
}

#[test]
fn the_folder_of_a_journal_can_be_moved_with_its_engines_and_pgn() {
    let open_with = |scratch: &Scratch, command: &Path| {
        let mut tournament = tournament();
        tournament.engines[0].command = command.to_owned();
        let pgn = scratch.directory.path().join("games.pgn").display().to_string();
        Journal::open(&scratch.path, &tournament, Some((pgn, 0)), OnDamage::Refuse)
    };
    let open_in = |scratch: &Scratch| open_with(scratch, &scratch.directory.path().join("engine"));
    let (_, stored) = open(&scratch(STORED_V2), OnDamage::Refuse).unwrap();
    let old = scratch("");
    let (mut journal, _) = open_in(&old).unwrap();
    journal.add(&stored.games[0]).unwrap();
    drop(journal);
    let text = fs::read_to_string(&old.path).unwrap();
    let moved = scratch(&text);
    assert_eq!(numbers(&open_in(&moved).unwrap().1), [0]);
    // The engine in the folder is not one of the `PATH`.
    let error = open_with(&moved, Path::new("engine")).unwrap_err().to_string();
    assert!(error.contains("engines differ (command: \"engine\" instead of "), "{error}");
    // Older journals have absolute paths. They can be continued in their old folder.
    let folder = old.directory.path().display();
    fs::write(&old.path, text.replace("\"./", &format!("\"{folder}/"))).unwrap();
    assert_eq!(numbers(&open_in(&old).unwrap().1), [0]);
}

#[test]
fn a_journal_of_another_tournament_without_games_is_replaced() {
    let head = STORED_V2.lines().next().unwrap();
    let other = head.replace("\"depth\":3", "\"depth\":4") + "\n";
    for text in [other.clone(), other + "{\"run\":{\"process\":4711}}\n"] {
        let replaced = scratch(&text);
        let (journal, content) = open(&replaced, OnDamage::Refuse).unwrap();
        assert_eq!((numbers(&content), journal.pgn_length()), (vec![], 77));
        drop(journal);
        let text = fs::read_to_string(&replaced.path).unwrap();
        assert!(!text.contains("\"depth\":4"), "{text}");
        open(&replaced, OnDamage::Refuse).unwrap();
    }
}
