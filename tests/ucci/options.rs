//! The options of UCCI.

use crate::TestDir;
use crate::engine_client::{Client, after, is_message, last_number};
use chuhe::eval::nnue::{
    Architecture, INPUT_QUANT, InputBuckets, Network, NetworkParameters, OUTPUT_QUANT,
    OutputBuckets,
};

/// The beginnings of the option lines.
const OFFERED: [&str; 21] = [
    "option usemillisec type check default true",
    "option batch type check default false",
    "option debug type check default false",
    "option ponder type check default false",
    "option hashsize type spin min 0 max ",
    "option threads type spin min 0 max ",
    "option multipv type spin min 1 max ",
    "option idle type combo var none var small var medium var large default none",
    "option repetition type combo var asian var computer ",
    "option promotion type check default false",
    "option pruning type combo var none var small var medium var large default large",
    "option knowledge type combo var none var small var medium var large default large",
    "option randomness type combo var none var tiny var small var medium var large var huge \
     default none",
    "option style type combo var solid var normal var risky default normal",
    "option usebook type check default true",
    "option bookfiles type string default <builtin>",
    "option newgame type button",
    "option evalapi type string default",
    "option useegtb type check default true",
    "option egtbpaths type string default",
    "option cloud type string default",
];

#[test]
fn options_are_listed() {
    let mut client = Client::boot();
    client.send("ucci");
    let lines = client.until("ucciok");
    for offered in OFFERED {
        let count = lines.iter().filter(|l| l.starts_with(offered)).count();
        assert_eq!(count, 1, "{offered}");
    }
    client.quit();
}

#[test]
fn all_listed_values_are_accepted() {
    let mut client = Client::boot();
    client.send("ucci");
    let lines = client.until("ucciok");
    let mut accepted = 0;
    for line in lines.iter().filter_map(|line| line.strip_prefix("option ")) {
        let (name, form) = line.split_once(" type ").unwrap();
        let mut words = form.split(' ');
        let values: Vec<String> = match words.next().unwrap() {
            "check" => ["true", "false", "on", "OFF", "1", "0"].map(str::to_owned).into(),
            "spin" => match name {
                "hashsize" => ["1", "16", "0"].map(str::to_owned).into(),
                "threads" => ["2", "1"].map(str::to_owned).into(),
                _ => ["1", "3"].map(str::to_owned).into(),
            },
            "combo" => {
                let words: Vec<&str> = words.collect();
                let vars = words.windows(2).filter(|pair| pair[0] == "var");
                vars.map(|pair| pair[1].to_uppercase()).collect()
            }
            "button" | "string" => vec![String::new()],
            other => panic!("{other}"),
        };
        for value in values {
            client.silent(&format!("setoption {name} {value}"));
            client.silent(&format!("setoption name {} value {value}", name.to_uppercase()));
            accepted += 1;
        }
    }
    assert!(accepted > 40, "{accepted}");
    client.quit();
}

#[test]
fn the_engine_plays_with_every_setting() {
    let mut client = Client::ucci();
    for setting in [
        "hashsize 1",
        "hashsize 33",
        "threads 2",
        "threads 1",
        "multipv 5",
        "multipv 256",
        "multipv 1",
        "idle large",
        "idle none",
        "pruning none",
        "pruning medium",
        "knowledge none",
        "knowledge small",
        "randomness huge",
        "randomness none",
        "repetition elephanteye",
        "repetition none",
        "style risky",
        "style solid",
        "ponder on",
        "promotion on",
        "newgame",
    ] {
        client.silent(&format!("setoption {setting}"));
        client.best_move("go depth 2", &after(""));
    }
    client.quit();
}

#[test]
fn unknown_options_are_ignored() {
    let mut client = Client::ucci();
    for line in [
        "setoption",
        "setoption name",
        "setoption name value",
        "setoption selectivity large",
        "setoption loadbook",
        "setoption name UCI_AnalyseMode value true",
        "setoption name Skill Level value 20",
        "setoption 名 值",
    ] {
        client.silent(line);
    }
    client.best_move("go depth 1", &after(""));
    client.quit();
}

#[test]
fn extreme_hash_sizes_and_thread_counts_do_not_stop_the_engine() {
    let mut client = Client::ucci();
    let huge = "9".repeat(100);
    for (option, values) in [
        ("hashsize", &["1048576", "99999999", &huge, "-1", "1"][..]),
        ("threads", &["-1", "3", "1"]),
    ] {
        for value in values {
            client.send(&format!("setoption {option} {value}"));
            let answers = client.sync();
            // A value out of range is either replaced or refused.
            assert!(answers.len() <= 1, "{answers:?}");
            assert!(answers.iter().all(|line| is_message(line)), "{answers:?}");
            client.best_move("go depth 2", &after(""));
        }
    }
    client.quit();
}

#[test]
fn text_quoted_in_messages_is_short_and_printable() {
    let mut client = Client::ucci();
    let long = "x".repeat(5000);
    client.send(&format!("setoption style \u{1b}[31m{long}"));
    let answers = client.sync();
    assert_eq!(answers.len(), 1);
    assert!(answers[0].len() < 300, "{}", answers[0]);
    assert!(!answers[0].chars().any(char::is_control));
    client.quit();
}

#[test]
fn promotion_changes_the_game() {
    let mut client = Client::ucci();
    // An advisor on its back rank becomes a pawn on its square.
    let promotes = "position fen 4k4/9/9/9/9/9/9/9/9/3A1K3 w moves d0d0";
    client.refused(promotes);
    client.silent("setoption promotion true");
    client.silent(promotes);
    // Black is to move and has only the king on e9.
    client.send("go depth 1");
    assert!(client.outcome().starts_with("bestmove e"));
    // The position is parsed again without promotion, and its move is ignored.
    let message = client.refused("setoption promotion false");
    assert!(message.contains("move 1 of 1"), "{message}");
    client.send("go depth 1");
    // Red is to move.
    assert!(!client.outcome().starts_with("bestmove e"));
    client.silent("setoption promotion true");
    client.send("go depth 1");
    assert!(client.outcome().starts_with("bestmove e"));
    client.silent("position fen 4k4/9/9/9/9/9/9/9/9/3A1K3 w");
    client.send("go depth 1 searchmoves d0d0");
    assert_eq!(&client.outcome()[..13], "bestmove d0d0");
    client.quit();
}

#[test]
fn changed_settings_clear_the_hash_table() {
    let search = |client: &mut Client| -> Vec<String> {
        client.send("go depth 6");
        let mut lines = client.until("bestmove");
        // Only the time differs between runs.
        lines.retain(|line| line.contains(" pv ") || line.starts_with("bestmove"));
        let cut = |line: &String| match line.split_once(" time ") {
            Some((head, tail)) => format!("{head} {}", tail.split_once(" pv ").unwrap().1),
            None => line.clone(),
        };
        lines.iter().map(cut).collect()
    };
    for option in
        ["pruning none", "knowledge small", "style risky", "repetition none", "promotion on"]
    {
        let setoption = format!("setoption {option}");
        let position = "position fen P2k5/9/4b4/9/9/2P3p2/9/4B4/9/2BAK4 w";
        let mut fresh = Client::ucci();
        fresh.send(&format!("{setoption}\n{position}"));
        let mut used = Client::ucci();
        used.send(position);
        search(&mut used);
        used.send(&setoption);
        assert_eq!(search(&mut used), search(&mut fresh), "{option}");
        fresh.quit();
        used.quit();
    }
}

/// A network that gives every position the same value, in units of the evaluation.
fn constant_network(value: i32) -> Network {
    let architecture =
        Architecture { width: 32, inputs: InputBuckets::One, outputs: OutputBuckets::One };
    let parameters = NetworkParameters {
        input_weights: vec![0; architecture.rows() * 32],
        input_biases: vec![0; 32],
        output_weights: vec![0; 64],
        output_biases: vec![INPUT_QUANT * OUTPUT_QUANT],
    };
    Network::new(architecture, value, String::new(), &parameters)
        .expect("the parameters fit the architecture")
}

#[test]
fn networks_are_loaded_and_unloaded_and_other_files_refused() {
    let dir = TestDir::new();
    let write = |name: &str, bytes: &[u8]| {
        dir.write(name, bytes);
        dir.path(name).display().to_string()
    };
    let bytes = constant_network(450).to_bytes();
    let good = write("evalapi good.nnue", &bytes);
    let cut = write("evalapi cut.nnue", &bytes[..bytes.len() - 10]);
    let foreign = write("evalapi foreign.nnue", b"this is no network");
    let score = |client: &mut Client| {
        client.send("position startpos\ngo depth 0");
        let mut lines = client.until("nobestmove").into_iter();
        let score = lines.find(|line| line.starts_with("info depth 0 score "));
        score.expect("a static score")
    };
    let mut client = Client::ucci();
    let embedded = score(&mut client);
    let folder = dir.path("").display().to_string();
    for wrong in [&cut, &foreign, "/nowhere/at all.nnue", &folder] {
        let reason = client.refused(&format!("setoption evalapi {wrong}"));
        assert!(reason.contains("setoption"), "{reason}");
        assert_eq!(score(&mut client), embedded);
    }
    client.silent(&format!("setoption evalapi {good}"));
    // 450 units are a minor piece, 100 in UCCI.
    assert_eq!(score(&mut client), "info depth 0 score 100");
    client.refused(&format!("setoption evalapi {cut}"));
    assert_eq!(score(&mut client), "info depth 0 score 100");
    client.silent("setoption knowledge medium");
    assert_ne!(score(&mut client), "info depth 0 score 100");
    client.silent("setoption knowledge large");
    assert_eq!(score(&mut client), "info depth 0 score 100");
    client.silent("setoption evalapi <empty>");
    assert_eq!(score(&mut client), embedded);
    client.quit();
}

#[test]
fn useegtb_turns_the_tables_off_and_on() {
    let mut client = Client::ucci();
    let ending = "position fen 2baka3/9/9/9/9/9/9/9/9/R2K5 w - - 0 1";
    let nodes = |client: &mut Client| {
        client.send(&format!("{ending}\nsetoption newgame\ngo depth 6"));
        last_number(&client.until("bestmove"), "nodes")
    };
    let with = nodes(&mut client);
    client.silent("setoption useegtb false");
    let without = nodes(&mut client);
    assert!(4 * with < without, "{with} {without}");
    client.refused("setoption egtbpaths /nowhere/at all");
    assert_eq!(nodes(&mut client), without);
    client.silent("setoption useegtb true");
    assert_eq!(nodes(&mut client), with);
    client.silent("setoption egtbpaths");
    client.quit();
}
