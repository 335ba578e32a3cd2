//! Conversations with XBoard and with tsito's clients, without a process.

use super::*;
use crate::book::BookMove;
use crate::protocol::codec::GameAction;
use crate::search::Report;

struct Client {
    codec: XBoard,
    preferences: Preferences,
}

impl Client {
    fn xboard() -> Self {
        Self { codec: XBoard::new(false), preferences: Preferences::default() }
    }

    fn cxboard() -> Self {
        Self { codec: XBoard::new(true), ..Self::xboard() }
    }

    fn send(&mut self, line: &str) -> Vec<Command> {
        self.codec.parse(line, &self.preferences)
    }

    fn printed(&mut self, line: &str) -> Vec<String> {
        let commands = self.send(line).into_iter();
        let text = commands.filter_map(|command| match command {
            Command::Print(text) => Some(text),
            _ => None,
        });
        text.collect()
    }

    /// The names of the commands that a line becomes.
    fn verbs(&mut self, line: &str) -> String {
        let verb = |command: &Command| match command {
            Command::Stop => "stop",
            Command::Position(_) => "position",
            Command::Go(_) => "go",
            Command::NewGame => "newgame",
            Command::SetOption { .. } => "setoption",
            Command::Print(_) => "print",
            Command::Quit => "quit",
            _ => "other",
        };
        let commands = self.send(line);
        commands.iter().map(verb).collect::<Vec<_>>().join(" ")
    }

    fn answer(&mut self, best: &str, expected: Option<&str>) -> Vec<String> {
        let reply = Reply::BestMove {
            best: best.parse().unwrap(),
            ponder: expected.map(|text| text.parse().unwrap()),
            action: GameAction::None,
        };
        self.codec.format(&reply, &self.preferences)
    }
}

fn moves(commands: &[Command]) -> String {
    let text = commands.iter().find_map(|command| match command {
        Command::Position(text) => Some(text.moves.join(" ")),
        _ => None,
    });
    text.expect("a position")
}

#[test]
fn a_rating_applies_to_one_game() {
    let mut client = Client::xboard();
    client.send("rating 2000 2800");
    let commands = client.send("new");
    let unknown = Some("none none computer x".to_owned());
    let forgets = Command::SetOption { name: "UCI_Opponent".to_owned(), value: unknown };
    assert_eq!(commands, [forgets, Command::NewGame]);
    assert_eq!(client.send("new"), [Command::NewGame]);
}

#[test]
fn a_game_is_played() {
    let mut client = Client::xboard();
    assert_eq!(client.verbs("new"), "newgame");
    assert_eq!(client.verbs("level 40 5 0"), "");
    let commands = client.send("usermove h2e2");
    assert_eq!(moves(&commands), "h2e2");
    assert_eq!(client.answer("h9g7", None), ["move h9g7"]);
    assert_eq!(moves(&client.send("usermove h0g2")), "h2e2 h9g7 h0g2");
    assert_eq!(client.verbs("usermove a0a1"), "print");
    assert_eq!(client.answer("i9h9", None), ["move i9h9"]);
    assert_eq!(client.verbs("undo"), "");
    assert_eq!(client.verbs("remove"), "");
    assert_eq!(moves(&client.send("go")), "h2e2");
}

#[test]
fn force_mode_only_checks_moves() {
    let mut client = Client::xboard();
    client.send("force");
    assert_eq!(client.verbs("usermove h2e2"), "");
    let refused = client.printed("usermove h2e2");
    assert!(refused[0].starts_with("Illegal move ("), "{refused:?}");
    assert_eq!(client.verbs("usermove h9g7"), "");
    assert_eq!(moves(&client.send("go")), "h2e2 h9g7");
    assert_eq!(client.verbs("force"), "stop");
    assert_eq!(client.answer("h0g2", None), [""; 0]);
    assert_eq!(client.verbs("playother"), "");
    assert_eq!(moves(&client.send("usermove h0g2")), "h2e2 h9g7 h0g2");
}

#[test]
fn ponder_hit_and_miss() {
    let mut client = Client::xboard();
    client.send("hard");
    client.send("level 2 0:04 0");
    client.send("usermove h2e2");
    client.answer("h9g7", Some("h0g2"));
    let follow_up = client.codec.follow_up();
    assert_eq!(moves(&follow_up), "h2e2 h9g7 h0g2");
    assert_eq!(client.printed("hint"), ["Hint: h0g2"]);
    client.send("time 120");
    // The search for the engine's move uses the new clock, with one move to go.
    let commands = client.send("usermove h0g2");
    let [Command::Stop, _, Command::Go(Ok(request))] = commands.as_slice() else {
        panic!("{commands:?}");
    };
    let clock = request.limits(Color::Black).clock.unwrap();
    assert_eq!((clock.time.as_millis(), clock.moves_to_go), (1200, Some(1)));
    assert!(!request.ponder);
    assert_eq!(client.answer("a9a8", None), [""; 0]);
    client.answer("i9h9", Some("i0h0"));
    client.codec.follow_up();
    assert_eq!(client.verbs("usermove i0i1"), "stop position go");
    assert_eq!(client.answer("a9a8", None), [""; 0]);
    assert_eq!(client.answer("h9h8", None), ["move h9h8"]);
}

#[test]
fn analysis_follows_the_game() {
    let mut client = Client::xboard();
    assert_eq!(client.verbs("analyze"), "position go");
    assert_eq!(client.verbs("usermove h2e2"), "stop position go");
    assert_eq!(client.verbs("undo"), "stop position go");
    assert_eq!(client.verbs("usermove h2e2"), "stop position go");
    let restarted = client.send("new");
    assert!(matches!(restarted[..], [Command::Stop, Command::NewGame, _, _]));
    assert_eq!(moves(&restarted), "");
    assert_eq!(client.verbs("usermove b2e2"), "stop position go");
    assert_eq!(client.verbs("exit"), "stop");
}

#[test]
fn exit_outside_an_analysis_has_no_effect() {
    let mut client = Client::xboard();
    client.send("usermove h2e2");
    assert_eq!(client.verbs("exit"), "");
    assert_eq!(client.answer("h9g7", None), ["move h9g7"]);
}

#[test]
fn refused_position_ends_the_game() {
    for mut client in [Client::xboard(), Client::cxboard()] {
        client.send("hard");
        client.send("h2e2");
        // Black cannot have two kings.
        assert_eq!(client.verbs("setboard 3kk4/9/9/9/9/9/9/9/9/4K4 w"), "stop print");
        assert!(client.answer("h9g7", Some("h0g2")).is_empty());
        assert!(client.printed("h0g2")[0].starts_with("Illegal move ("));
        for line in ["go", "playother", "analyze", "d"] {
            let said = client.printed(line);
            assert!(said[0].starts_with("Error (illegal position)"), "{line}: {said:?}");
            assert_eq!(said.len(), client.send(line).len(), "{line}");
        }
        for line in ["force", "undo"] {
            assert!(!client.verbs(line).contains("go"), "{line}");
        }
        assert!(client.printed("h0g2")[0].starts_with("Illegal move ("));
        assert_eq!(client.verbs("exit"), "");
        client.send("setboard 3k5/9/9/9/9/9/9/R8/9/4K4 w");
        assert_eq!(moves(&client.send("go")), "");
    }
}

#[test]
fn edit_is_refused_and_ends_the_game() {
    let mut client = Client::xboard();
    client.send("h2e2");
    let said = client.send("edit");
    let refused =
        Command::Print("tellusererror Unsupported command: edit; send setboard".to_owned());
    assert_eq!(said, [Command::Stop, refused]);
    assert_eq!(client.answer("h9g7", None), [""; 0]);
    for line in ["#", "Ke0", "Ra8", "c", "Ke9"] {
        assert_eq!(client.printed(line), [format!("Error (unknown command): {line}")]);
    }
    assert_eq!(client.verbs("."), "");
    for line in ["undo", "go"] {
        client.send(line);
        assert!(client.printed("h0g2")[0].starts_with("Illegal move ("), "{line}");
    }
    assert!(client.printed("go")[0].starts_with("Error (illegal position)"));
    client.send("force");
    client.send("new");
    assert_eq!(moves(&client.send("h2e2")), "h2e2");
}

#[test]
fn level_in_a_game_starts_a_period() {
    let mut client = Client::xboard();
    client.send("force");
    for line in ["h2e2", "h9g7", "h0g2", "i9h9", "level 3 0:01 0"] {
        client.send(line);
    }
    let moves_to_go = |commands: &[Command]| match commands {
        [.., Command::Go(Ok(request))] => request.limits(Color::Red).clock.unwrap().moves_to_go,
        _ => panic!("{commands:?}"),
    };
    assert_eq!(moves_to_go(&client.send("go")), Some(3));
    // In the next game the period starts with the first move.
    client.send("new");
    client.send("force");
    client.send("h2e2");
    client.send("h9g7");
    assert_eq!(moves_to_go(&client.send("go")), Some(2));
}

#[test]
fn shown_ponder_lines_come_after_a_hint() {
    let ponder = |post: &str| {
        let mut client = Client::xboard();
        client.send("hard");
        client.send(post);
        client.send("usermove h2e2");
        client.answer("h9g7", Some("h0g2"));
        let follow_up = client.codec.follow_up();
        (client, follow_up)
    };
    let hint = Command::Print("Hint: h0g2".to_owned());
    let (_, shown) = ponder("post");
    assert_eq!((&shown[0], shown.len()), (&hint, 3));
    let (mut client, hidden) = ponder("nopost");
    assert_eq!(hidden.len(), 2);
    assert_eq!(client.send("post"), [hint]);
    assert_eq!(client.verbs("easy"), "stop setoption");
}

#[test]
fn results_are_announced() {
    let mut client = Client::xboard();
    client.send("setboard 3k5/R8/9/9/9/9/9/9/4R4/4K4 w");
    let said = client.printed("usermove e1e9");
    assert_eq!(said, ["1-0 {White mates}"]);
    let mut client = Client::cxboard();
    client.send("setboard 3k5/R8/1R7/9/9/9/9/9/9/4K4 r");
    assert_eq!(client.printed("b7b9"), ["1-0 {red mates}"]);
    assert!(client.printed("d9d8")[0].contains("the game is over"));
}

#[test]
fn finished_game_is_not_searched() {
    for (mut client, said) in
        [(Client::xboard(), "1-0 {White mates}"), (Client::cxboard(), "1-0 {red mates}")]
    {
        client.send("force");
        client.send("setboard 3k5/9/9/9/9/9/9/3R5/3R5/4K4 b");
        assert_eq!(client.printed("go"), [said]);
    }
}

#[test]
fn pings_wait_for_the_move() {
    let mut client = Client::xboard();
    assert_eq!(client.printed("ping 1"), ["pong 1"]);
    client.send("usermove h2e2");
    assert_eq!(client.verbs("ping 2"), "");
    assert_eq!(client.answer("h9g7", None), ["move h9g7", "pong 2"]);
    // The answer does not wait for a move that is discarded.
    client.send("usermove h0g2");
    assert_eq!(client.verbs("ping 3"), "");
    assert_eq!(client.printed("force"), ["pong 3"]);
    assert_eq!(client.answer("i9h9", None), [""; 0]);
}

#[test]
fn draw_offer_survives_a_ponder_miss() {
    let mut client = Client::xboard();
    client.send("hard");
    client.send("usermove h2e2");
    client.send("draw");
    client.answer("h9g7", Some("h0g2"));
    client.codec.follow_up();
    let commands = client.send("usermove b0c2");
    let offered = |command: &Command| matches!(command, Command::Go(Ok(request)) if request.draw);
    assert!(commands.iter().any(offered), "{commands:?}");
}

#[test]
fn hint_is_cleared_by_another_move() {
    let mut client = Client::xboard();
    client.send("usermove h2e2");
    client.answer("h9g7", Some("h0g2"));
    assert_eq!(client.printed("hint"), ["Hint: h0g2"]);
    client.send("usermove b0c2");
    assert_eq!(client.printed("hint"), [""; 0]);
}

#[test]
fn promotion_variant_moves() {
    let mut client = Client::xboard();
    client.send("force");
    client.send("setboard 3k5/9/9/9/9/9/9/9/9/2B1K4 w");
    assert!(client.printed("usermove c0c0")[0].starts_with("Illegal move"));
    // The game continues in the variant, where the bishop may become a pawn.
    client.preferences.promotion = true;
    assert_eq!(client.printed("usermove c0c0"), [""; 0]);
    // Without the variant the game is illegal until the move is taken back.
    client.preferences.promotion = false;
    assert!(client.printed("usermove d9d8")[0].starts_with("Illegal move ("));
    assert!(client.printed("go")[0].starts_with("Error (illegal position)"));
    client.send("force");
    client.send("undo");
    assert_eq!(client.printed("usermove e0e1"), [""; 0]);
    client.preferences.promotion = true;
    let with_pawn = "setboard 3k5/9/9/9/9/9/9/9/9/2P1K4 w";
    assert_eq!(client.printed(with_pawn), [""; 0]);
    // A FEN with a pawn on its own back rank is accepted without the variant as well, for composed positions.
    client.preferences.promotion = false;
    assert_eq!(client.printed(with_pawn), [""; 0]);
}

#[test]
fn overlong_line_changes_nothing() {
    let mut client = Client::xboard();
    client.send("usermove h2e2");
    let refused = client.codec.parse_overlong("force", &client.preferences);
    assert_eq!(refused, Command::Unknown("force".to_owned()));
    assert_eq!(client.answer("h9g7", None), ["move h9g7"]);
}

#[test]
fn tsito_commands() {
    let mut client = Client::cxboard();
    assert_eq!(client.verbs("red"), "");
    assert_eq!(client.verbs("h2e2"), "position go");
    assert_eq!(client.verbs("?"), "stop");
    assert_eq!(client.answer("h9g7", None), ["move h9g7"]);
    assert_eq!(client.printed("st 30").len(), 0);
    let time = client.printed("t").concat();
    let left: u64 = time.strip_prefix("time ").unwrap().parse().unwrap();
    assert!((1..=30).contains(&left), "{time}");
    assert!(client.printed("undo")[0].starts_with("Error"));
    assert_eq!(client.verbs("remove"), "");
    assert_eq!(client.verbs("blue"), "position go");
    assert!(matches!(client.send("vomit")[0], Command::PrintError(_)));
    assert_eq!(client.printed("console").len(), 1);
}

#[test]
fn tsito_search_switches() {
    let mut client = Client::cxboard();
    for (line, option) in [
        ("search mtd", "search mtd"),
        ("nullmove off", "nullmove off"),
        ("verifynull on", "verifynull on"),
        ("hash off", "usehash off"),
        ("set hash on", "usehash on"),
        ("set Hash 16", "Hash 16"),
        ("set skill level 5", "skill level 5"),
        ("hashadjust on", "hashadjust on"),
        ("iterative off", "iterative off"),
        ("set style risky", "style risky"),
    ] {
        let commands = client.send(line);
        let [Command::SetOption { name, value: None }] = commands.as_slice() else {
            panic!("{line}: {commands:?}");
        };
        assert_eq!(name, option);
    }
    for line in ["search deep", "nullmove", "hash maybe", "set", "set color red"] {
        let said = client.printed(line);
        assert!(
            said.len() == 1 && said[0].starts_with("Error (") && said[0].ends_with(line),
            "{line}: {said:?}"
        );
    }
    let mut client = Client::xboard();
    assert!(client.printed("search mtd")[0].starts_with("Error (unknown command)"));
}

#[test]
fn no_capture_limit_can_be_turned_off() {
    let end = |preferences: Preferences| {
        let mut client = Client::cxboard();
        client.preferences = preferences;
        client.send("setboard 4k4/9/9/9/9/9/9/9/R8/3K5 r - - 119 1");
        client.printed("a1a2").concat()
    };
    assert_eq!(end(Preferences::default()), "1/2-1/2 {Draw by no-capture limit}");
    let mut unlimited = Preferences::default();
    unlimited.search.no_capture_draws = false;
    assert_eq!(end(unlimited), "");
}

#[test]
fn a_result_by_repetition_names_the_offense() {
    let end = |start: &str, moves: &str| {
        let mut client = Client::xboard();
        client.send("force");
        client.send(&format!("setboard {start}"));
        let (before, last) = moves.rsplit_once(' ').unwrap();
        before.split(' ').for_each(|played| assert_eq!(client.printed(played), [""; 0]));
        client.send("playother");
        client.printed(last).concat()
    };
    let checks = "e9f9 e1f1 f9e9 f1e1 e9f9 e1f1 f9e9 f1e1";
    let result = end("4k4/9/9/9/9/9/9/9/4R4/3K5 b", checks);
    assert_eq!(result, "0-1 {White loses by perpetual check}");
    let idle = "a1a2 e9f9 a2a1 f9e9 a1a2 e9f9 a2a1 f9e9";
    let result = end("4k4/9/9/9/9/9/9/9/R8/3K5 w", idle);
    assert_eq!(result, "1/2-1/2 {Draw by repetition}");
}

#[test]
fn late_move_loses_in_tsitos_dialect() {
    let mut client = Client::cxboard();
    client.send("st 0.01");
    std::thread::sleep(std::time::Duration::from_millis(30));
    assert_eq!(client.printed("h2e2"), ["0-1 {red loses on time}"]);
}

#[test]
fn unknown_commands_and_bad_arguments_are_errors() {
    let mut client = Client::xboard();
    for line in [
        "hello",
        "level x",
        "sd 0",
        "st now",
        "variant chess",
        "variant",
        "undo x",
        "go e2e4",
        "post on",
        "? now",
        "level 40 5 0 1",
        "st 5 6",
        "sd 5 6",
        "time 100 x",
        "time",
    ] {
        let said = client.printed(line).concat();
        assert!(said.starts_with("Error (") && said.ends_with(line), "{said}");
    }
    for line in ["", "accepted ping", "xboard2"] {
        assert!(client.send(line).len() <= 1, "{line}");
    }
    let refused = client.printed("setboard nonsense");
    assert!(refused[0].starts_with("tellusererror Illegal position"));
}

#[test]
fn the_books_are_shown_on_request() {
    let mut client = Client::xboard();
    client.send("force");
    client.send("usermove h2e2");
    let asked = client.send("bk");
    assert!(matches!(&asked[..], [Command::ShowBook(text)] if text.moves == ["h2e2"]), "{asked:?}");
    let moves =
        [BookMove::new("h9g7".parse().unwrap(), 7), BookMove::new("b9c7".parse().unwrap(), 2)];
    let mut shown = |moves| {
        let reply = Reply::BookContents(moves);
        client.codec.format(&reply, &client.preferences)
    };
    assert_eq!(shown(&moves), ["\th9g7 7", "\tb9c7 2", ""]);
    assert_eq!(shown(&[]), ["\tno book moves", ""]);
    client.send("edit");
    assert_eq!(client.printed("bk"), ["Error (illegal position): set up another one", ""]);
}

/// Larger scores are mates.
#[test]
fn weights_of_book_moves_are_below_the_mates() {
    let mut client = Client::xboard();
    client.send("post");
    for (weight, shown) in [(9, "9"), (u32::MAX, "99999")] {
        let played = "h2e2".parse().unwrap();
        let reply = Reply::BookMove { played, weight, is_best: true };
        let lines = client.codec.format(&reply, &client.preferences);
        assert_eq!(lines, [format!("0 {shown} 0 0 h2e2")]);
    }
}

#[test]
fn analysis_reports_its_progress() {
    let mut client = Client::xboard();
    assert_eq!(client.printed("."), [""; 0], "nothing is analyzed");
    client.send("analyze");
    let mut status = |report: Option<Report>| {
        if let Some(report) = &report {
            let chances = None;
            let reply = Reply::Search { report, chances };
            client.codec.format(&reply, &client.preferences);
        }
        let line = client.printed(".").concat();
        let (time, rest) = line.strip_prefix("stat01: ")?.split_once(' ')?;
        time.parse::<u32>().ok().map(|_| rest.to_owned())
    };
    let is = |text: &str| Some(text.to_owned());
    assert_eq!(status(None), is("0 0 44 44"));
    let nodes = 5000;
    let time = Default::default();
    let progress = Report::Progress { nodes, time };
    assert_eq!(status(Some(progress)), is("5000 0 44 44"));
    let current = Report::CurrentMove { depth: 9, played: "h2e2".parse().unwrap(), number: 3 };
    assert_eq!(status(Some(current)), is("5000 9 41 44 h2e2"));
    client.send("exit");
    assert_eq!(client.printed("."), [""; 0]);
}
