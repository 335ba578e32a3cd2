//! The commands `chuhe selfplay`, `chuhe data`, `chuhe train` and `chuhe openings`.

use std::fs;

use chuhe::tournament::{EndReason, Openings};
use chuhe::training::data::{GameWriter, Record, ScoredMove, TrainingGame};

use super::{START, TestDir};

/// Options for a short training run of a small network, which is tested on one game in three.
const SMALL: &str = "--set passes=1 --set width=32 --set hold_out=3";

/// A new directory with a file of games of the engine against itself. Their seed and numbers decide which of them
/// [`SMALL`] tests, whatever the moves are: numbers 2 and 3 of the first four.
fn dir_with_games(count: u32) -> TestDir {
    let dir = TestDir::new();
    dir.check(&format!("$ selfplay games.chg --games {count} --nodes 20 --seed 1"));
    dir
}

#[test]
fn files_of_games_are_shown_merged_and_converted() {
    let dir = TestDir::new();
    dir.check(
        r#"
        $ selfplay one.chg --games 2 --nodes 20 --seed 1
        2> 2 games,
        $ selfplay two.chg --games 2 --nodes 20 --seed 2
        2> 2 games,
        $ data merge merged.chg one.chg two.chg one.chg
        = 4 games, 2 duplicates left out
        $1 data merge merged.chg one.chg
        2> the file already exists; --force overwrites it
        $ data merge merged.chg one.chg two.chg --force
        $ data stats merged.chg
        > games                4\n
        $ data view one.chg --skip 1
        > game 2: seed 1, number 1 in its run,
        $2 data view one.chg --skip 2
        2> --skip: the file has only 2 games
        $ data view one.chg --plan
        > "seed":1
        $2 data view one.chg --plan --samples
        2> '--plan' cannot be used with '--samples'
        $2 data view one.chg --plan --games 2
        2> '--plan' cannot be used with '--games <N>'
        $ data view - --plan < one.chg
        > "seed":1
        $ data stats - < one.chg
        > games                2\n
        $ data relabel relabeled.chg one.chg --nodes 0
        = 2 games
        "#,
    );
    let text = dir.output("data view merged.chg --games 9 --samples --all");
    dir.write("samples.txt", format!("{text}rnbakab"));
    dir.check(&format!(
        "
        $ data convert converted.chg samples.txt
        > {} positions
        2> left out an incomplete last line
        ",
        text.lines().count()
    ));
    let view = "data view converted.chg --games 9 --all --samples";
    assert_eq!(dir.output(view), text);
}

#[test]
fn single_games_are_counted_and_incomplete_files_read_up_to_their_last_block() {
    let dir = TestDir::new();
    dir.check(
        "
        $ selfplay two.chg --games 2 --nodes 20
        $ selfplay single.chg --games 1 --nodes 20
        2> 1 game,
        $ data merge copies.chg single.chg single.chg
        = 1 game, 1 duplicate left out
        ",
    );
    for name in ["two.chg", "single.chg"] {
        let bytes = dir.bytes(name);
        dir.write(name, &bytes[..bytes.len() - 1]);
    }
    dir.write("samples.txt", "rnbakab");
    dir.check(
        "
        $ data stats two.chg
        2> incomplete last block
        $1 data merge none.chg single.chg
        2> incomplete last block
        2> there are no games to write
        $2 data view single.chg --skip 1
        2> incomplete last block
        2> the file has only 0 games
        $1 data stats samples.txt
        2> not a game file
        $1 selfplay samples.txt
        2> not a game file
        $1 selfplay /dev/null
        2> /dev/null: not a regular file
        ",
    );
}

#[test]
#[cfg(unix)]
fn games_are_written_to_a_pipe() {
    let dir = TestDir::new();
    let pipe = dir.path("pipe");
    dir.make_pipe("pipe");
    dir.check("$ selfplay one.chg --games 2 --nodes 20 --seed 1\n$ data merge two.chg one.chg");
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read(pipe).unwrap()
    });
    dir.check("$ data merge pipe one.chg --force\n= 2 games, 0 duplicates left out");
    assert!(!pipe.metadata().unwrap().is_file());
    assert_eq!(reader.join().unwrap(), dir.bytes("two.chg"));
}

#[test]
fn input_files_are_not_overwritten() {
    let dir = TestDir::new();
    for name in ["games.chg", "x.svg"] {
        dir.write(name, "no games");
    }
    for arguments in [
        "train games.chg --out ./games.chg",
        "train x.svg --out x.nnue",
        "train games.chg --from x.svg --out x.svg",
        "data win-rate games.chg --out ./games.chg",
    ] {
        dir.check(&format!("$2 {arguments}\n2> --out: this is one of the input files"));
    }
    assert_eq!(dir.read("games.chg"), "no games");
    assert_eq!(dir.names(), ["games.chg", "x.svg"]);
}

#[test]
fn output_files_do_not_have_the_extension_of_another_format() {
    let dir = TestDir::new();
    dir.write("games.pgn", "1. h2e2 1-0\n");
    let is_other = "is the extension of another format; expected";
    dir.check(&format!(
        "
        $2 data convert new.pgn games.pgn
        2> OUT: .pgn {is_other} .chg
        $2 data merge new.nnue games.pgn
        2> OUT: .nnue {is_other} .chg
        $2 selfplay new.pgn --games 1 --nodes 1
        2> new.pgn: .pgn {is_other} .chg
        $2 train games.pgn --out new.chg
        2> --out: .chg {is_other} .nnue
        "
    ));
    assert_eq!(dir.names(), ["games.pgn"]);
    // The log has been created before the command runs.
    dir.check(
        "
        $2 selfplay new.chg --games 1 --nodes 1 --log new.chg
        2> new.chg: this is the file of --log
        ",
    );
}

#[test]
fn invalid_arguments_are_refused_before_the_training() {
    let dir = TestDir::new();
    dir.write("samples.txt", "no samples\n");
    for (arguments, code, message) in [
        ("--threads 100000", 2, "100000 is not in"),
        ("--set scale=0.3", 2, "the recipe: scale is"),
        ("--set rate=1e30", 2, "the recipe: rate is"),
        ("--set width=1e3", 2, "expected an integer of at least 0"),
        ("--set seed=-1", 2, "expected an integer of at least 0"),
        ("--set largest_score=-5", 2, "the recipe: largest_score is"),
        ("--set largest_score=32768", 2, "expected an integer from -32768 to 32767"),
        ("", 1, "there are no samples"),
    ] {
        dir.check(&format!(
            "${code} train samples.txt --out x.nnue {SMALL} {arguments}\n2> {message}"
        ));
    }
    let long = "x".repeat(40_000);
    dir.check(&format!(
        "
        $2 train samples.txt --out x.nnue {SMALL} --description {long}
        2> --description: longer than 32768 bytes
        $1 train samples.txt --out no-such-directory/x.nnue {SMALL}
        >0 samples
        2> No such file
        $1 train samples.txt --out /dev/null {SMALL}
        >0 samples
        2> /dev/null: not a regular file
        $1 train - --out x.nnue {SMALL} < samples.txt
        2> -: lines that are not samples: 1; the first is line 1
        2> there are no samples
        $2 train - --out x.nnue --recipe - < samples.txt
        2> --recipe: this is also the file of SAMPLES
        $2 train x.chg
        2> --out
        "
    ));
    assert_eq!(dir.names(), ["samples.txt"]);
}

#[test]
fn recipes_are_printed_without_samples() {
    let dir = TestDir::new();
    dir.write("bad.toml", "width = \n");
    dir.write("long.toml", vec![b' '; 17 << 20]);
    dir.check(
        r"
        $ train --print-recipe --set width=64
        ^ # Neurons per perspective: a multiple of 32, up to 1024.\nwidth = 64\n
        $2 train --print-recipe --set width=0
        2> the recipe: width is 0, but must be
        $2 train --print-recipe --set rate=nan
        2> the recipe: rate is NaN
        $ train --print-recipe --set rate=1e-12
        > final_rate = 0.000000000001\n
        $2 train --print-recipe --set rate=1e-12 --set final_rate=1e-5
        2> final_rate is 0.00001, but must be 0 to rate
        $2 train --print-recipe --recipe bad.toml
        2> bad.toml
        $1 train --print-recipe --recipe long.toml
        2> long.toml
        2> 16 MB
        ",
    );
    let chinese = dir.output("train --print-recipe --lang zh");
    let notes: Vec<&str> = (chinese.lines()).filter(|line| line.starts_with('#')).collect();
    let are_chinese = notes.iter().all(|note| !note.is_ascii());
    assert!(notes.len() > 10 && are_chinese, "{chinese}");
    dir.write("chinese.toml", chinese);
    dir.check("$ train --print-recipe --recipe chinese.toml");
}

#[test]
fn training_from_a_network_keeps_its_architecture() {
    let embedded = concat!(env!("CARGO_MANIFEST_DIR"), "/src/eval/nnue/embedded.nnue");
    let architecture = chuhe::eval::nnue::embedded().architecture();
    // The command of the guide, on a few games.
    let dir = dir_with_games(8);
    dir.check(&format!(
        r"
        $ train --print-recipe --from {embedded}
        > width = {}\n
        > input_buckets = {}\n
        $ train --print-recipe --from {embedded} --set width=64
        > width = 64\n
        $ train games.chg --out x.nnue --from {embedded} --threads 2 --set rate=0.0003 --set passes=1 --set hold_out=3
        $ bench --depth 2 --network x.nnue
        ",
        architecture.width,
        architecture.inputs.count()
    ));
}

/// Two runs would replace each other's checkpoint, and the network of one would be lost.
#[test]
fn two_runs_do_not_train_the_same_network() {
    let dir = dir_with_games(4);
    let lock = fs::File::create(dir.path("x.checkpoint.lock")).unwrap();
    fs4::FileExt::try_lock(&lock).unwrap();
    for force in ["", "--force"] {
        dir.check(&format!(
            "
            $1 train games.chg --out x.nnue {SMALL} {force}
            2> x.checkpoint: another process is writing this file
            "
        ));
    }
    assert_eq!(dir.names(), ["games.chg", "x.checkpoint.lock"]);
    drop(lock);
    #[cfg(unix)]
    {
        // A link and its target are the same network, although their checkpoints differ.
        std::os::unix::fs::symlink("x.nnue", dir.path("link.nnue")).unwrap();
        let lock = fs::File::create(dir.path("x.nnue.lock")).unwrap();
        fs4::FileExt::try_lock(&lock).unwrap();
        dir.check(&format!(
            "
            $1 train games.chg --out link.nnue {SMALL} --force
            2> link.nnue: another process is writing this file
            "
        ));
        fs::remove_file(dir.path("link.nnue")).unwrap();
    }
    dir.check(&format!("$ train games.chg --out x.nnue {SMALL}\n> pass   1"));
    assert_eq!(dir.names(), ["games.chg", "x.checkpoint", "x.csv", "x.nnue", "x.svg"]);
}

#[test]
fn a_finished_run_writes_its_network_again() {
    let dir = dir_with_games(4);
    dir.check(&format!("$ train games.chg --out x.nnue {SMALL}\n> pass   1"));
    let losses = dir.read("x.csv");
    for name in ["x.nnue", "x.csv", "x.svg"] {
        fs::remove_file(dir.path(name)).unwrap();
    }
    // The guide uses `--from` with this tiny rate to measure the loss of another network.
    dir.check(&format!(
        "
        $ train games.chg --out x.nnue {SMALL} --description named-later
        > all passes are already done
        >0 pass   1
        $ train games.chg --from x.nnue --set passes=1 --set rate=1e-12 --out loss.nnue --set hold_out=3
        > pass   1
        $2 train games.chg --from x.nnue --set width=96 --set hold_out=3 --out y.nnue
        2> has width=32, input_buckets=1, output_buckets=8, but the recipe has width=96, input_buckets=1,
        "
    ));
    assert!(dir.path("x.svg").exists());
    assert_eq!(dir.read("x.csv"), losses);
    let written = dir.bytes("x.nnue");
    assert!(String::from_utf8_lossy(&written).contains("named-later"));
    // Without its checkpoint a network is overwritten only with --force.
    fs::remove_file(dir.path("x.checkpoint")).unwrap();
    dir.check(&format!(
        "
        $1 train games.chg --out x.nnue
        2> --force overwrites it
        $ train games.chg --out x.nnue {SMALL} --force
        > pass   1
        "
    ));
}

#[test]
fn tables_in_chinese_have_no_english_words() {
    let dir = dir_with_games(4);
    for arguments in [
        &format!("train games.chg --out x.nnue {SMALL}"),
        "data stats games.chg",
        "data merge merged.chg games.chg",
        "perft 2",
    ] {
        // Single letters occur in numbers such as 1e-3.
        let text = dir.output(&format!("{arguments} --lang zh"));
        let mut words = text.split(|c: char| !c.is_ascii_alphabetic());
        let is_chinese = !text.is_empty() && words.all(|word| word.len() < 2);
        assert!(is_chinese, "{text}");
    }
}

#[test]
fn held_out_samples_do_not_depend_on_the_file() {
    let dir = dir_with_games(20);
    let samples = dir.output("data view games.chg --games 99 --samples");
    dir.write("samples.txt", &samples);
    // A byte order mark is not part of the samples.
    dir.write("other-name", format!("\u{feff}{samples}"));
    // `>` of PowerShell writes UTF-16.
    let windows_text = format!("\u{feff}{}", samples.replace('\n', "\r\n"));
    let utf_16: Vec<u8> = windows_text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    dir.write("utf-16.txt", utf_16);
    // With the same samples in other files the run counts as finished, with another recipe it does not. Filtered
    // samples are counted.
    let advice = "--force overwrites it, or choose another --out";
    dir.check(&format!(
        "
        $ data convert loose.chg samples.txt
        $ train samples.txt --out x.nnue {SMALL}
        >0 all passes are already done
        >  0 filtered, 0 with unsupported pieces
        $ train other-name --out x.nnue {SMALL}
        > all passes are already done
        $ train utf-16.txt --out x.nnue {SMALL}
        > all passes are already done
        $ data convert utf-16.chg utf-16.txt
        $ train loose.chg --out x.nnue {SMALL}
        > all passes are already done
        $1 train samples.txt --out x.nnue {SMALL} --set seed=2
        2> another recipe; {advice}
        $ train samples.txt --out x.nnue {SMALL} --set seed=2 --force
        > another recipe; overwritten
        > pass   1
        $ train samples.txt --out x.nnue {SMALL} --set seed=2
        > all passes are already done
        $ train games.chg --out y.nnue {SMALL} --set largest_score=300
        >0  0 filtered
        $1 train games.chg --out z.nnue {SMALL} --set hold_out=1000000
        2> no game is left for testing
        "
    ));
    assert_eq!(dir.bytes("utf-16.chg"), dir.bytes("loose.chg"));
    dir.write("x.checkpoint", "x");
    dir.check(&format!("$1 train samples.txt --out x.nnue {SMALL}\n2> {advice}"));
}

/// Without move numbers, each position counts as a game.
#[test]
fn samples_that_do_not_show_their_games_are_reported() {
    let dir = dir_with_games(20);
    let samples = dir.output("data view games.chg --games 99 --samples");
    dir.write("numbered.txt", &samples);
    let lines = samples.lines().map(|line| {
        let (fen, rest) = line.split_once(" - - ").unwrap();
        let (_, rest) = rest.split_once(" | ").unwrap();
        format!("{fen} - - 0 1 | {rest}\n")
    });
    dir.write("plain.txt", lines.collect::<String>());
    let message = "positions of a game may be both in training and in the test";
    dir.check(&format!(
        "
        $ train numbered.txt --out x.nnue {SMALL}
        2>0 {message}
        $ train plain.txt --out y.nnue {SMALL}
        2> {message}
        $ data convert plain.chg plain.txt
        $ train plain.chg --out z.nnue {SMALL}
        2> {message}
        "
    ));
}

#[test]
fn a_failed_conversion_leaves_no_file() {
    let dir = dir_with_games(1);
    let sample = format!("{START} | 5 | 0.5\n");
    for (text, message) in [
        (&*format!("{sample}nonsense\n{sample}"), "line 2: "),
        (&*format!("# samples\n{sample}"), "line 1: not a sample (FEN | score | result)"),
        (&*format!("局面 | 分数 | 结果\n{sample}"), "line 1: not a sample"),
        (
            &*format!("{} | x\n", sample.trim_end()),
            "line 1: not a sample (FEN | score | result): more",
        ),
        ("fen x\nmove h2e2\nscore 5\nply 0\nresult 0\ne\n", "the `plain` format of Stockfish"),
        (&*format!("name|{START}|h2e2,h9g7\n"), "samples.txt: games left out: 1"),
        // A binary file can have `|`.
        ("\u{1f}\u{8}|\u{3}|7|\n", "samples.txt: there are no games or positions"),
        ("", "samples.txt: the file is empty"),
        ("[Event \"x\"]\n\n1. h2e2 *\n", "there are no games"),
    ] {
        dir.write("samples.txt", text);
        dir.check(&format!("$1 data convert out.chg samples.txt\n2> {message}"));
        assert_eq!(dir.names(), ["games.chg", "samples.txt"]);
    }
    dir.check("$1 data relabel out.chg samples.txt --nodes 0\n2> not a game file");
    assert_eq!(dir.names(), ["games.chg", "samples.txt"]);
    // The games before an error in one of several files are left out with the rest of that file.
    dir.write("samples.txt", format!("{sample}{sample}nonsense\n"));
    dir.write("good.txt", &sample);
    dir.check(
        r"
        $1 data convert out.chg samples.txt good.txt
        = good.txt: 1 game, 1 position
        2> line 3:
        $ data stats out.chg
        > games                1\n
        ",
    );
    fs::remove_file(dir.path("out.chg")).unwrap();
    // With valid input the same commands succeed; an existing file is kept.
    dir.write("samples.txt", sample);
    dir.check(
        "
        $ data relabel out.chg games.chg --nodes 0
        $1 data relabel out.chg games.chg --nodes 0
        2> the file already exists
        $ data convert other.chg samples.txt
        $1 data convert other.chg samples.txt
        2> the file already exists
        ",
    );
}

#[test]
fn games_without_scores_and_empty_files_are_reported() {
    let dir = TestDir::new();
    dir.write("game.pgn", "1. h2e2 1-0\n");
    dir.write("empty.chg", "");
    dir.check(&format!(
        "
        $ data convert plain.chg game.pgn
        = 1 game, 0 positions
        $1 train plain.chg --out x.nnue {SMALL}
        2> plain.chg: there are no games with scores; `chuhe data relabel` computes scores
        $1 data stats empty.chg
        2> empty.chg: the file is empty
        "
    ));
}

/// Otherwise a network would be trained without the games of a file that was named by mistake.
#[test]
fn a_file_without_samples_beside_others_is_an_error() {
    let dir = dir_with_games(4);
    dir.write("game.pgn", "1. h2e2 1-0\n");
    dir.write("between.txt", format!("{START} | 5 | 0.25\n"));
    dir.check(&format!(
        "
        $ data convert plain.chg game.pgn
        $1 train games.chg game.pgn --out x.nnue {SMALL}
        2> game.pgn: there are no samples (FEN | score | result); `chuhe data convert` reads game records
        $1 train games.chg between.txt --out x.nnue {SMALL}
        2> between.txt: lines that are not samples: 1; the first is line 1
        2> between.txt: there are no samples
        $1 train games.chg plain.chg --out x.nnue {SMALL}
        2> plain.chg: there are no games with scores
        "
    ));
    assert_eq!(dir.names(), ["between.txt", "game.pgn", "games.chg", "plain.chg"]);
}

/// `data convert` recognizes the reasons for the end of a game that `chuhe match` writes. It leaves out games that end
/// by forfeit, and resignation and agreement become unknown reasons.
#[test]
fn ends_of_match_games_are_converted() {
    let dir = TestDir::new();
    for reason in EndReason::ALL {
        let text = format!(
            "[Event \"x\"]\n[Termination \"{}\"]\n[Reason \"{reason}\"]\n\n1. h2e2 {{+0.10/3 0.1s}} 1-0\n",
            reason.termination()
        );
        dir.write("games.pgn", text);
        if reason.is_forfeit() {
            dir.check("$1 data convert out.chg games.pgn\n2> there are no games");
            continue;
        }
        let is_unknown = matches!(reason, EndReason::Resignation | EndReason::Agreement);
        dir.check("$ data convert out.chg games.pgn");
        let shown = dir.output("data view out.chg");
        let is_shown = shown.contains(" by unknown");
        assert_eq!(is_shown, is_unknown, "{reason}: {shown}");
        fs::remove_file(dir.path("out.chg")).unwrap();
    }
}

#[test]
fn samples_that_begin_with_a_digit_are_not_read_as_pgn() {
    let dir = TestDir::new();
    let sample =
        "1nbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1 | 5 | 0.5\n";
    let moves = "1. h2e2 {+0.10/8 0.1s} h9g7 1-0\n";
    for text in [sample, moves] {
        for mark in ["", "\u{feff}"] {
            dir.write("samples.txt", format!("{mark}{text}"));
            dir.check("$ data convert out.chg samples.txt --force\n= 1 game, 1 position");
        }
    }
}

/// `data view` and `data win-rate` use a game up to its first illegal move. `data relabel` leaves the game out.
#[test]
fn games_with_illegal_moves_are_reported() {
    let dir = TestDir::new();
    let mut bytes = Vec::new();
    let mut writer = GameWriter::new(&mut bytes).unwrap();
    for (number, moves) in [(1, ["h2e2", "e5e6"]), (2, ["h2e2", "h9g7"])] {
        // A game without moves, decoded from zeros.
        let mut game = TrainingGame::decode(&mut &[0; 19][..]).unwrap();
        game.number = number;
        let scored = moves.map(|word| ScoredMove { played: word.parse().unwrap(), score: 5 });
        game.moves.extend(scored);
        writer.record(&Record::Game(game)).unwrap();
    }
    writer.flush().unwrap();
    drop(writer);
    dir.write("bad.chg", bytes);
    dir.check(
        r"
        $ data view bad.chg --games 9 --samples
        >3  | 0\n
        2> bad.chg: games with an illegal move: 1
        $1 data win-rate bad.chg --out model.rs
        2> bad.chg: games with an illegal move: 1
        2> 4 positions are too few
        $ data relabel out.chg bad.chg --nodes 0
        = 1 game
        2> bad.chg: games with an illegal move left out: 1
        ",
    );
}

#[test]
fn openings_are_found() {
    let dir = TestDir::new();
    dir.check("$ openings out.txt --depth 2 --count 5 --shortest 3 --longest 5");
    let read = Openings::read(&dir.read("out.txt")).unwrap();
    assert_eq!(read.lines().len(), 5);
    let plies = |plies: usize| (3..=5).contains(&plies);
    assert!(read.lines().iter().all(|line| plies(line.moves.len())));
    dir.check(
        "
        $1 openings out.txt --depth 2 --count 5 --shortest 3 --longest 5
        2> already exists; --continue resumes it
        $2 openings x --shortest 8 --longest 4
        2> --shortest: must not be greater than --longest
        ",
    );
}

#[test]
fn the_search_for_openings_ends_if_there_are_too_few() {
    let dir = TestDir::new();
    dir.check(
        "
        $1 openings out.txt --depth 1 --count 2000 --shortest 2 --longest 2
        2> of 2000 openings found: 50000 random lines in a row
        ",
    );
    let read = Openings::read(&dir.read("out.txt")).unwrap();
    assert!((10..2000).contains(&read.lines().len()));
}
