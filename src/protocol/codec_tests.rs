//! Tests of the codecs: UCCI and UCI in detail, all protocols with random input.

use proptest::prelude::*;

use super::codec::{Codec, Command, GameAction, PositionText, Protocol, Reply};
use super::go::GoRequest;
use super::options::Preferences;
use super::session::codec;
use super::text::Ranks;
use super::ucci::Ucci;
use crate::board::{Move, Position};
use crate::eval::win_rate::WinRate;
use crate::search::{Bound, HashProbe, Info, Report, Score};

const UCCI_AND_UCI: [Protocol; 2] = [Protocol::Ucci, Protocol::Uci];

fn parse(protocol: Protocol, line: &str) -> Command {
    let commands = codec(protocol).parse(line, &Preferences::default());
    let [command] = commands.try_into().expect("one command a line");
    command
}

fn ucci(line: &str) -> Command {
    parse(Protocol::Ucci, line)
}

fn uci(line: &str) -> Command {
    parse(Protocol::Uci, line)
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn option(name: &str, value: Option<&str>) -> Command {
    Command::SetOption { name: name.to_owned(), value: value.map(str::to_owned) }
}

#[test]
fn commands_of_both_protocols() {
    for protocol in UCCI_AND_UCI {
        let parse = |line| parse(protocol, line);
        assert_eq!(parse("ucci"), Command::Handshake(Protocol::Ucci));
        assert_eq!(parse("  UCI "), Command::Handshake(Protocol::Uci));
        assert_eq!(parse("isready"), Command::IsReady);
        assert_eq!(parse("stop now"), Command::Stop);
        for line in ["ucinewgame", "uccinewgame", "uxinewgame", "newgame"] {
            assert_eq!(parse(line), Command::NewGame);
        }
        let bans = Command::BanMoves(words("h2e2 b2e2"));
        assert_eq!(parse("banmoves h2e2 b2e2"), bans);
        assert_eq!(parse("ponderhit"), Command::PonderHit { draw: false });
        assert_eq!(parse("ponderhit draw"), Command::PonderHit { draw: true });
        for unknown in ["", "readyok", "ucciok", "isready?", "炮二平五", "cxboard2"] {
            assert_eq!(parse(unknown), Command::Unknown(unknown.to_owned()));
        }
    }
}

#[test]
fn commands_of_one_protocol() {
    assert_eq!(ucci("probe startpos"), Command::Probe(PositionText::START));
    assert_eq!(uci("probe startpos"), Command::Unknown("probe startpos".to_owned()));
    assert_eq!(uci("eval"), Command::ShowEvaluation);
    assert_eq!(ucci("eval"), Command::Unknown("eval".to_owned()));
    assert_eq!(uci("debug on"), Command::Debug(true));
    assert_eq!(uci("debug OFF"), Command::Debug(false));
    assert_eq!(uci("register later"), Command::Print("registration ok".to_owned()));
    // In UCI unknown words before a command are ignored.
    assert_eq!(uci("joho debug on"), Command::Debug(true));
    assert_eq!(uci("joho isready"), Command::IsReady);
    for line in ["debug on", "joho isready"] {
        assert_eq!(ucci(line), Command::Unknown(line.to_owned()));
    }
}

/// The workers send `fen FEN` with a FEN of two fields.
#[test]
fn workers_of_the_public_cloud_library_get_bare_scores_in_uci() {
    let preferences = Preferences::default();
    let report = Report::Line(info(Score::ZERO, Bound::Exact));
    for (line, score) in [
        ("isready", " score cp 0 "),
        ("joho fen 4k4/9/9/9/9/9/9/9/9/3K5 w", " score cp 0 "),
        ("fen 4k4/9/9/9/9/9/9/9/9/3K5 w", " score 0 "),
        ("fen 4k4/9/9/9/9/9/9/9/9/3K5 w - - 0 1", " score cp 0 "),
        ("fen 4k4/9/9/9/9/9/9/9/9/3K5 w moves d0d1", " score cp 0 "),
        ("startpos moves h2e2 h9g7", " score cp 0 "),
    ] {
        let mut uci = codec(Protocol::Uci);
        let commands = uci.parse(line, &preferences);
        let sets_position = matches!(commands.as_slice(), [Command::Position(_)]);
        let begins_with_position = line.starts_with("fen") || line.starts_with("startpos");
        assert_eq!(sets_position, begins_with_position);
        let lines = uci.format(&search(&report), &preferences);
        assert!(lines.concat().contains(score), "{line}: {lines:?}");
        for (next, score) in [("isready", score), ("position startpos", " score cp 0 ")] {
            uci.parse(next, &preferences);
            let lines = uci.format(&search(&report), &preferences);
            assert!(lines.concat().contains(score), "{line}, {next}: {lines:?}");
        }
    }
}

#[test]
fn clients_that_set_the_variant_may_show_that_they_count_ranks_from_0() {
    let preferences = Preferences { has_set_variant: true, ..Preferences::default() };
    for (line, counts_from_zero) in [
        ("position startpos moves h0g2 h9g7", true),
        ("go depth 1 searchmoves e0e1", true),
        ("startpos moves h2e2", true),
        ("FEN 4k4/9/9/9/9/9/9/9/9/3K5 w", true),
        ("position startpos moves h3e3", false),
        ("go depth 1 searchmoves e1e2", false),
    ] {
        let commands = codec(Protocol::Uci).parse(line, &preferences);
        match commands.as_slice() {
            [Command::CountRanks(Ranks::FromZero), command] if counts_from_zero => {
                assert_eq!(*command, uci(line));
            }
            [command] if !counts_from_zero => assert_ne!(*command, uci(line)),
            _ => panic!("{line}: {commands:?}"),
        }
    }
}

#[test]
fn hints_are_lines_of_moves() {
    let line = |text: &str| Command::Hint(text.split(' ').map(|m| m.parse().unwrap()).collect());
    let long = format!("hint score 5 depth 3 pv{}", " h2e2 h9g7".repeat(3000));
    for protocol in UCCI_AND_UCI {
        let hint = "hint score 29991 depth 99999999999 pv h2e2 h9g7 nonsense h0g2";
        assert_eq!(parse(protocol, hint), line("h2e2 h9g7"));
        assert_eq!(parse(protocol, "hint score"), Command::Hint(Vec::new()));
        let Command::Hint(moves) = parse(protocol, &long) else {
            panic!("no hint");
        };
        assert_eq!(moves.len(), 100);
    }
}

#[test]
fn wdl_is_reported_with_the_option() {
    let report = Report::Line(info(Score::ZERO, Bound::Exact));
    let chances = WinRate::of(0, &Position::startpos());
    let reply = Reply::Search { report: &report, chances: Some(chances) };
    let line = format(Protocol::Uci, &reply).unwrap();
    let WinRate { win, draw, loss } = chances;
    let expected = format!(" score cp 0 wdl {win} {draw} {loss} nodes ");
    assert!(line.contains(&expected), "{line}");
}

#[test]
fn ucci_has_a_line_for_the_time_and_one_for_the_moves() {
    let preferences = Preferences::default();
    let report = Report::Line(info(Score::ZERO, Bound::Exact));
    let statistics = "time 10 nodes 5000 nps 500000 hashfull 3";
    let short = [format!("info {statistics}"), "info depth 7 score 0 pv h2e2 h9g7".to_owned()];
    let long = [format!("info depth 7 score 0 {statistics} pv h2e2 h9g7")];
    let mut ucci = codec(Protocol::Ucci);
    assert_eq!(ucci.format(&search(&report), &preferences), short);
    let last = Reply::LastLine { info: &info(Score::ZERO, Bound::Lower), chances: None };
    assert_eq!(ucci.format(&last, &preferences), short);
    // Several lines, by the option or the `go`.
    let mut several = Preferences::default();
    several.search.multipv = 3;
    assert_eq!(ucci.format(&search(&report), &several), long);
    for (lines, preferences, expected) in
        [(Some(2), &preferences, &long[..]), (Some(1), &several, &short[..])]
    {
        ucci.on_go(&Ok(GoRequest { lines, ..GoRequest::default() }));
        assert_eq!(ucci.format(&search(&report), preferences), expected);
    }
    // Clients that have sent `uci` too, and cloud workers.
    let mut others: [Box<dyn Codec>; 2] =
        [Box::new(Ucci::for_uci_client()), codec(Protocol::Worker)];
    for other in &mut others {
        assert_eq!(other.format(&search(&report), &preferences), long);
    }
}

#[test]
fn forms_of_position() {
    let text = |fen: Option<&str>, moves: &str| PositionText {
        fen: fen.map(str::to_owned),
        moves: words(moves),
        ranks: Ranks::FromZero,
    };
    for (line, expected) in [
        ("position startpos", text(None, "")),
        ("position startpos moves", text(None, "")),
        ("position startpos moves h2e2  h9g7", text(None, "h2e2 h9g7")),
        ("Position StartPos Moves h2e2", text(None, "h2e2")),
        ("position startpos h2e2", text(None, "h2e2")),
        ("position fen startpos moves h2e2", text(None, "h2e2")),
        ("position startpos fen 9/9 w moves h2e2", text(Some("9/9 w"), "h2e2")),
        ("position fen 9/9 w moves", text(Some("9/9 w"), "")),
        (
            "position fen  9/9  w - - 0 1 - - 0 4 moves h2e2",
            text(Some("9/9 w - - 0 1 - - 0 4"), "h2e2"),
        ),
        ("position 9/9 w", text(Some("9/9 w"), "")),
        ("position fen fen 9/9 w", text(Some("9/9 w"), "")),
        ("position fen \"9/9 w\" moves h2e2", text(Some("9/9 w"), "h2e2")),
        ("position", text(Some(""), "")),
        ("position fen", text(Some(""), "")),
        ("position fen moves h2e2", text(Some(""), "h2e2")),
        ("position moves h2e2", text(Some(""), "h2e2")),
    ] {
        assert_eq!(ucci(line), Command::Position(expected), "{line}");
    }
}

#[test]
fn forms_of_setoption() {
    for (line, name, value) in [
        ("setoption hashsize 64", "hashsize 64", None),
        ("setoption hashsize value 64", "hashsize", Some("64")),
        ("setoption name Hash 64", "Hash 64", None),
        ("setoption name Hash value 64", "Hash", Some("64")),
        ("SETOPTION NAME Hash VALUE 64", "Hash", Some("64")),
        ("setoption newgame", "newgame", None),
        ("setoption name Clear Hash", "Clear Hash", None),
        ("setoption bookfiles my  book.dat;other", "bookfiles my  book.dat;other", None),
        ("setoption name A B value c  d", "A B", Some("c  d")),
        ("setoption name Hash value", "Hash", Some("")),
        ("setoption name", "name", None),
        ("setoption", "", None),
    ] {
        assert_eq!(ucci(line), option(name, value), "{line}");
        assert_eq!(uci(line), option(name, value), "{line}");
    }
}

fn info(score: Score, bound: Bound) -> Info {
    Info {
        depth: 7,
        selective_depth: 12,
        multipv: 1,
        score,
        bound,
        nodes: 5000,
        time: std::time::Duration::from_millis(10),
        hashfull: 3,
        tb_hits: 17,
        pv: vec!["h2e2".parse().unwrap(), "h9g7".parse().unwrap()],
    }
}

fn search(report: &Report) -> Reply<'_> {
    Reply::Search { report, chances: None }
}

#[test]
fn currline_and_refutation_are_reported_in_uci_only() {
    let line = |text: &str| -> Vec<Move> { text.split(' ').map(|m| m.parse().unwrap()).collect() };
    let (first, second) = (line("h2e2 h9g7"), line("b2e2"));
    for (report, lines) in [
        (Report::Refutation(first.clone()), vec!["info refutation h2e2 h9g7"]),
        (Report::CurrentLines(vec![first.clone()]), vec!["info currline 1 h2e2 h9g7"]),
        (
            Report::CurrentLines(vec![first, second]),
            vec!["info currline 1 h2e2 h9g7", "info currline 2 b2e2"],
        ),
    ] {
        let format = |protocol| codec(protocol).format(&search(&report), &Preferences::default());
        assert_eq!(format(Protocol::Uci), lines);
        for other in [Protocol::Ucci, Protocol::XBoard, Protocol::CxBoard] {
            assert_eq!(format(other), [""; 0]);
        }
    }
    let load = Reply::CpuLoad(950);
    assert_eq!(format(Protocol::Uci, &load).unwrap(), "info cpuload 950");
    assert_eq!(format(Protocol::Ucci, &load), None);
}

/// The line of a reply, if the protocol has one. Panics if there are several.
fn format(protocol: Protocol, reply: &Reply<'_>) -> Option<String> {
    format_with(protocol, reply, &Preferences::default())
}

fn format_with(protocol: Protocol, reply: &Reply<'_>, preferences: &Preferences) -> Option<String> {
    let mut lines = codec(protocol).format(reply, preferences);
    assert!(lines.len() <= 1, "{lines:?}");
    lines.pop()
}

#[test]
fn score_formats() {
    let minor = Score::evaluation(Score::MINOR_PIECE);
    for (score, in_ucci, in_uci) in [
        (Score::ZERO, "0", "cp 0"),
        (minor, "100", "cp 400"),
        (-minor, "-100", "cp -400"),
        (Score::mate_in(1), "29999", "mate 1"),
        (Score::mate_in(7), "29993", "mate 4"),
        (Score::mated_in(2), "-29998", "mate -1"),
        (Score::mated_in(8), "-29992", "mate -4"),
    ] {
        let report = Report::Line(info(score, Bound::Exact));
        let ucci = format!("info depth 7 score {in_ucci} pv h2e2 h9g7");
        let uci = format!(
            "info depth 7 seldepth 12 multipv 1 score {in_uci} nodes 5000 nps 500000 hashfull 3 tbhits 17 time 10 \
             pv h2e2 h9g7"
        );
        let lines = codec(Protocol::Ucci).format(&search(&report), &Preferences::default());
        assert_eq!(lines.last(), Some(&ucci));
        assert_eq!(format(Protocol::Uci, &search(&report)), Some(uci));
        let line = format(Protocol::Ucci, &Reply::StaticScore(score));
        assert_eq!(line, Some(format!("info depth 0 score {in_ucci}")));
    }
}

#[test]
fn bound_formats() {
    let lower = Report::Line(info(Score::ZERO, Bound::Lower));
    let reply = search(&lower);
    let debug = Preferences { debug: true, ..Preferences::default() };
    assert_eq!(format(Protocol::Ucci, &reply), None);
    let debugging = format_with(Protocol::Ucci, &reply, &debug).unwrap();
    assert!(debugging.starts_with("info message depth 7: at least 0"));
    let uci = format(Protocol::Uci, &reply).unwrap();
    assert!(uci.contains(" score cp 0 lowerbound nodes "), "{uci}");
}

#[test]
fn best_move_formats() {
    for (ponder, action, in_ucci, in_uci) in [
        (None, GameAction::None, "", ""),
        (Some("h9g7"), GameAction::None, " ponder h9g7", " ponder h9g7"),
        (None, GameAction::Draw, " draw", ""),
        (Some("h9g7"), GameAction::Draw, " ponder h9g7 draw", " ponder h9g7"),
        (None, GameAction::Resign, " resign", ""),
    ] {
        let reply = Reply::BestMove {
            best: "h2e2".parse().unwrap(),
            ponder: ponder.map(|text: &str| text.parse().unwrap()),
            action,
        };
        for (protocol, after) in [(Protocol::Ucci, in_ucci), (Protocol::Uci, in_uci)] {
            let expected = format!("bestmove h2e2{after}");
            assert_eq!(format(protocol, &reply), Some(expected));
        }
    }
    for (reply, in_ucci, in_uci) in [
        (Reply::NoBestMove, Some("nobestmove"), Some("bestmove (none)")),
        (Reply::NothingToStop, Some("nobestmove"), None),
        (Reply::Ready, Some("readyok"), Some("readyok")),
        (Reply::Bye, Some("bye"), None),
        (Reply::Hash(None), Some("pophash"), None),
    ] {
        assert_eq!(format(Protocol::Ucci, &reply).as_deref(), in_ucci);
        assert_eq!(format(Protocol::Uci, &reply).as_deref(), in_uci);
    }
}

#[test]
fn hash_entry_formats() {
    let mut probe = HashProbe { best: None, lower: None, upper: Some((Score::ZERO, 5)) };
    let format = |probe| format(Protocol::Ucci, &Reply::Hash(Some(probe))).unwrap();
    assert_eq!(format(probe), "pophash upperbound 0 depth 5");
    probe.best = "h2e2".parse().ok();
    probe.lower = Some((Score::mate_in(3), 6));
    assert_eq!(
        format(probe),
        "pophash bestmove h2e2 lowerbound 29997 depth 6 upperbound 0 depth 5"
    );
}

/// A protocol for each codec. [`Protocol::UciCyclone`] has the codec of [`Protocol::Uci`].
const ALL_PROTOCOLS: [Protocol; 5] =
    [Protocol::Ucci, Protocol::Uci, Protocol::XBoard, Protocol::CxBoard, Protocol::Worker];

/// Lines of protocol words, numbers, moves, parts of FENs and random text.
fn protocol_like() -> impl Strategy<Value = String> {
    let words = "position go setoption fen startpos moves name value hashsize depth time searchmoves infinite draw \
                 usermove setboard level sel";
    let words: Vec<&str> = words.split(' ').collect();
    let word = prop_oneof![
        18 => prop::sample::select(words).prop_map(str::to_owned),
        1 => "[0-9]{1,40}",
        1 => "-?[0-9.]{1,10}",
        1 => "[a-i][0-9][a-i][0-9]",
        1 => "[rnbakcpRNBAKCP1-9/]{0,90}",
        1 => "\\PC{0,8}",
    ];
    prop::collection::vec(word, 0..12).prop_map(|words| words.join(" "))
}

/// Parses a line in every protocol, as a complete line and as the beginning of one that is too long.
fn parse_in_all(line: &str) {
    for protocol in ALL_PROTOCOLS {
        for milliseconds in [true, false] {
            let preferences = Preferences { milliseconds, ..Preferences::default() };
            let mut codec = codec(protocol);
            codec.parse(line, &preferences);
            codec.parse_overlong(line, &preferences);
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_parsed(line in ".*") {
        parse_in_all(&line);
    }

    #[test]
    fn any_words_are_parsed(line in protocol_like()) {
        parse_in_all(&line);
    }

    #[test]
    fn messages_stay_one_line(text in "(?s).*") {
        for protocol in UCCI_AND_UCI {
            let line = format(protocol, &Reply::Message(&text)).unwrap();
            prop_assert!(!line.chars().any(char::is_control));
        }
    }
}
