//! XBoard engines (CECP, protocol version 2): a translation between the lines of UCI and those of the engine.
//!
//! The rest of the tournament speaks UCI with the engine. The engine must offer `ping`, as all current engines do, and
//! `setboard` for games that do not begin with the starting position. Search limits become `level`, `time`, `otim` and
//! `sd`; CECP has no node limit.

use crate::board::{Color, Move};
use crate::tournament::spec::EngineProtocol;

/// XBoard reports a mate in N moves as this plus N.
const MATE: i64 = 100_000;
/// The start of a game that was set up by `position startpos`.
const STARTPOS: &str = "startpos";

/// The state of the conversation with an XBoard engine.
#[derive(Debug, Default)]
pub struct XboardTranslator {
    pub has_ping: bool,
    /// Whether the engine has asked with `feature done=0` to wait for `feature done=1`.
    must_wait: bool,
    has_usermove: bool,
    pings: u64,
    /// The start and the moves of the game that the engine knows.
    game: Option<(String, Vec<String>)>,
    /// Whether the time control of this game has been sent.
    has_level: bool,
    is_thinking: bool,
    /// Whether the engine has offered a draw since its last move.
    offers_draw: bool,
    /// Whether the engine has resigned since its last move.
    has_resigned: bool,
    /// Whether the engine cannot set up positions (`setboard=0`).
    pub lacks_setboard: bool,
    /// Whether the engine demands moves in SAN (`san=1`). Chuhe sends coordinates only.
    pub needs_san: bool,
    /// Whether the engine does not read `time` and `otim` (`time=0`).
    lacks_time: bool,
    /// Whether the engine must be restarted for each game (`reuse=0`).
    pub lacks_reuse: bool,
    /// Whether positions are sent in the form of UCI, because the engine refused that of XBoard.
    has_uci_fens: bool,
    /// The first line since the last `position` in which the engine refuses the position, a move of the game or `go`,
    /// or `feature setboard=0` if the position cannot be set up.
    pub refusal: Option<String>,
}

impl XboardTranslator {
    /// Translates a line for the engine.
    pub fn command(&mut self, line: &str) -> Vec<String> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            // An engine that does not send `done=1` has no more features after its `pong 0`.
            "xboard" => lines(&["xboard", "protover 2", "ping 0"]),
            "isready" => {
                self.pings += 1;
                vec![format!("ping {}", self.pings)]
            }
            "setoption" => set_option(rest),
            "ucinewgame" => {
                self.game = None;
                Vec::new()
            }
            "position" => self.position(rest),
            "go" if self.has_resigned => {
                // The answer to this ping is translated to a resignation.
                self.is_thinking = true;
                self.command("isready")
            }
            "go" => self.go(rest),
            "stop" if self.is_thinking => lines(&["?"]),
            "stop" => Vec::new(),
            _ => lines(&[line]),
        }
    }

    fn position(&mut self, text: &str) -> Vec<String> {
        let (start, moves) = text.split_once(" moves").unwrap_or((text, ""));
        let moves: Vec<String> = moves.split_whitespace().map(str::to_owned).collect();
        self.refusal = None;
        let mut sent = lines(&["force"]);
        let known = match &self.game {
            Some((old, known)) if old == start && moves.starts_with(known) => known.len(),
            _ => {
                self.has_level = false;
                (self.offers_draw, self.has_resigned) = (false, false);
                sent = lines(&["new", "variant xiangqi", "force", "easy", "post"]);
                if let Some(fen) = start.strip_prefix("fen ") {
                    let is_refused = self.lacks_setboard;
                    self.refusal = is_refused.then(|| "feature setboard=0".to_owned());
                    sent.push(if self.has_uci_fens {
                        format!("setboard {fen}")
                    } else {
                        format!("setboard {}", xboard_fen(fen))
                    });
                }
                0
            }
        };
        let prefix = if self.has_usermove { "usermove " } else { "" };
        sent.extend(moves[known..].iter().map(|text| format!("{prefix}{text}")));
        self.game = Some((start.to_owned(), moves));
        sent
    }

    fn side(&self) -> Color {
        let (start, moves) = self
            .game
            .as_ref()
            .map_or((STARTPOS, 0), |(start, moves)| (start.as_str(), moves.len()));
        let starts_black = start.split_whitespace().nth(2) == Some("b");
        if starts_black == moves.is_multiple_of(2) { Color::Black } else { Color::Red }
    }

    /// Sends the limits and lets the engine think.
    fn go(&mut self, text: &str) -> Vec<String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let value = |key: &str| -> Option<u64> {
            let at = words.iter().position(|word| *word == key)?;
            words.get(at + 1)?.parse().ok()
        };
        let [own, other] = match self.side() {
            Color::Red => ["w", "b"],
            Color::Black => ["b", "w"],
        };
        let mut sent = Vec::new();
        let depth = value("depth");
        if let Some(time) = value("movetime") {
            // `st` takes whole seconds; `time` after a time control for one move takes hundredths of a second.
            sent.push(format!("level 1 {} 0", whole_seconds(time)));
            sent.push(format!("time {}", (time / 10).max(1)));
        } else if let Some(time) = value(&format!("{own}time")) {
            if !self.has_level {
                self.has_level = true;
                let moves = value("movestogo").unwrap_or(0);
                let increment = value(&format!("{own}inc")).unwrap_or(0);
                let increment = increment as f64 / 1000.0;
                sent.push(format!("level {moves} {} {increment}", whole_seconds(time)));
            }
            sent.push(format!("time {}", (time / 10).max(1)));
            let time = value(&format!("{other}time")).unwrap_or(time);
            sent.push(format!("otim {}", (time / 10).max(1)));
        } else {
            // A thousand minutes, so that the clock does not limit the search.
            sent.extend(lines(&["level 0 1000 0"]));
        }
        if self.lacks_time {
            sent.retain(|line| line.starts_with("level "));
        }
        sent.extend(depth.map(|depth| format!("sd {depth}")));
        sent.extend(lines(&["go"]));
        self.is_thinking = true;
        sent
    }

    /// Translates a line of the engine.
    pub fn answer(&mut self, line: &str) -> Vec<String> {
        let (word, rest) = match line.split_once(' ').unwrap_or((line, "")) {
            // The older form of `move`: `1. ... h9g7`.
            (number, rest) if number.ends_with('.') && rest.starts_with("... ") => {
                ("move", rest.trim_start_matches("... "))
            }
            words => words,
        };
        match word {
            "feature" => self.features(rest),
            "pong" if rest == "0" && self.must_wait => Vec::new(),
            "pong" if rest == "0" => lines(&[EngineProtocol::Xboard.handshake_end()]),
            "pong" if self.is_thinking && self.has_resigned => self.outcome("resign"),
            "pong" => lines(&["readyok"]),
            "move" if self.is_thinking => {
                let played = rest.trim();
                if let Some((_, moves)) = &mut self.game {
                    // In the notation that the next `position` command will have.
                    moves.push(played.to_ascii_lowercase().replace('-', ""));
                }
                let draw = if self.offers_draw { " draw" } else { "" };
                self.outcome(&format!("{played}{draw}"))
            }
            "offer" if rest.trim() == "draw" => {
                self.offers_draw = true;
                Vec::new()
            }
            "resign" if self.is_thinking => self.outcome("resign"),
            "resign" => {
                self.has_resigned = true;
                Vec::new()
            }
            // A result claimed instead of a move. If the engine claims its own loss, it resigns; any other claim is an
            // illegal answer.
            "1-0" if self.is_thinking && self.side() == Color::Black => self.outcome("resign"),
            "0-1" if self.is_thinking && self.side() == Color::Red => self.outcome("resign"),
            "1-0" | "0-1" | "1/2-1/2" if self.is_thinking => self.outcome(word),
            "Illegal" | "Error" | "Error:" | "error" | "error:" | "tellerror" | "tellusererror" => {
                let mut answers = vec![format!("info string {line}")];
                if !self.is_thinking {
                    self.read_refusal(line);
                } else if refuses_search(line) {
                    self.refusal = Some(line.to_owned());
                    answers.extend(self.outcome("refused"));
                }
                answers
            }
            _ => thinking(line).into_iter().collect(),
        }
    }

    /// Remembers the first error before a search that is about the position or a move of the game, and not about a
    /// command such as `easy`. After an error about the position, the next position is sent in the other form.
    fn read_refusal(&mut self, line: &str) {
        let Some((start, moves)) = &self.game else {
            return;
        };
        if self.refusal.is_some() {
            return;
        }
        let names = |words: &[&str]| words.iter().any(|word| line.contains(word));
        let is_of_position = start != STARTPOS && names(&["FEN", "position", "setboard"]);
        if is_of_position || names(&["usermove"]) || moves.iter().any(|text| names(&[text])) {
            self.refusal = Some(line.to_owned());
            self.has_uci_fens ^= is_of_position;
        }
    }

    /// Ends the search with an answer: a move, `resign` or a claim.
    fn outcome(&mut self, text: &str) -> Vec<String> {
        self.is_thinking = false;
        (self.offers_draw, self.has_resigned) = (false, false);
        vec![format!("bestmove {text}")]
    }

    fn features(&mut self, text: &str) -> Vec<String> {
        let mut answers = Vec::new();
        for (name, value) in features(text) {
            match name {
                "ping" => self.has_ping = value == "1",
                "usermove" => self.has_usermove = value == "1",
                "setboard" => self.lacks_setboard = value == "0",
                "san" => self.needs_san = value == "1",
                "time" => self.lacks_time = value == "0",
                "reuse" => self.lacks_reuse = value == "0",
                "myname" => answers.push(format!("id name {value}")),
                "memory" if value == "1" => answers.push(spin("Hash", 1 << 20)),
                "smp" if value == "1" => answers.push(spin("Threads", 1024)),
                "option" => answers.extend(option(value)),
                "done" if value == "1" => {
                    answers.push(EngineProtocol::Xboard.handshake_end().to_owned());
                }
                "done" => self.must_wait = true,
                _ => {}
            }
        }
        answers
    }
}

/// Whether an error during a search is about `go` or, in an `Illegal` line, about a move. Errors about other commands,
/// such as `otim`, do not end the search.
fn refuses_search(line: &str) -> bool {
    let mut words = line.split(|c: char| !c.is_ascii_alphanumeric());
    match words.next() {
        Some("Illegal") => words.any(|word| word == "go" || word.parse::<Move>().is_ok()),
        Some("Error") => words.any(|word| word == "go"),
        _ => false,
    }
}

fn lines(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// A time in minutes and seconds, rounded up: some engines crash at 0:00.
fn whole_seconds(milliseconds: u64) -> String {
    let seconds = milliseconds.div_ceil(1000).max(1);
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// A FEN in the form of XBoard, which has the letters H and E and no fields for castling and en passant.
fn xboard_fen(fen: &str) -> String {
    let (board, fields) = fen.split_once(' ').unwrap_or((fen, ""));
    let letter = |piece| match piece {
        'N' => 'H',
        'n' => 'h',
        'B' => 'E',
        'b' => 'e',
        other => other,
    };
    let mut text: String = board.chars().map(letter).collect();
    for field in fields.split(' ').filter(|field| *field != "-") {
        text.push(' ');
        text += field;
    }
    text
}

fn spin(name: &str, max: u32) -> String {
    format!("option name {name} type spin default 1 min 1 max {max}")
}

/// The command for `name N value V`, or for `name N`, which presses a button.
fn set_option(text: &str) -> Vec<String> {
    let text = text.strip_prefix("name ").unwrap_or(text);
    let Some((name, value)) = text.split_once(" value ") else {
        return vec![format!("option {text}")];
    };
    let line = match (name.to_ascii_lowercase().as_str(), value) {
        ("hash", _) => format!("memory {value}"),
        ("threads", _) => format!("cores {value}"),
        _ => format!("option {name}={value}"),
    };
    vec![line]
}

/// The names and values of a `feature` line: `ping=1 myname="a b"`.
fn features(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some((name, after)) = rest.split_once('=') {
        let (value, next) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(' ').unwrap_or((after, "")),
        };
        found.push((name.trim(), value));
        rest = next.trim_start();
    }
    found
}

const OPTION_KINDS: [&str; 10] =
    ["spin", "slider", "check", "combo", "string", "file", "path", "button", "save", "reset"];

/// An option such as `Contempt -spin 0 -100 100` in the form of UCI.
fn option(text: &str) -> Option<String> {
    // A name may contain ` -`.
    let (name, kind, values) = text.match_indices(" -").find_map(|(at, dash)| {
        let kind = &text[at + dash.len()..];
        let (kind, values) = kind.split_once(' ').unwrap_or((kind, ""));
        OPTION_KINDS.contains(&kind).then_some((&text[..at], kind, values))
    })?;
    let words: Vec<&str> = values.split_whitespace().collect();
    let type_text = match (kind, words.as_slice()) {
        ("spin" | "slider", [default, min, max, ..]) => {
            format!("spin default {default} min {min} max {max}")
        }
        ("check", [value, ..]) => format!("check default {}", *value == "1"),
        ("combo", _) => {
            let all = values.split("///").map(str::trim);
            let default = all.clone().find_map(|value| value.strip_prefix('*'));
            let vars = all.map(|value| format!(" var {}", value.trim_start_matches('*')));
            format!("combo default {}{}", default.unwrap_or_default(), vars.collect::<String>())
        }
        ("string" | "file" | "path", _) => format!("string default {values}"),
        ("button" | "save" | "reset", _) => "button".to_owned(),
        _ => return None,
    };
    Some(format!("option name {name} type {type_text}"))
}

/// Translates a line of thinking output, `depth score time nodes moves`, to an `info` line.
fn thinking(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let depth: u32 = words.next()?.trim_end_matches(['+', '-', '.', '&']).parse().ok()?;
    let score: i64 = words.next()?.parse().ok()?;
    let centiseconds: u64 = words.next()?.parse().ok()?;
    let nodes: u64 = words.next()?.parse().ok()?;
    let score = match score.saturating_abs() - MATE {
        moves @ 0.. => format!("mate {}", score.signum() * moves),
        _ => format!("cp {score}"),
    };
    let time = centiseconds.saturating_mul(10);
    let pv: Vec<&str> = words.collect();
    let pv = if pv.is_empty() { String::new() } else { format!(" pv {}", pv.join(" ")) };
    Some(format!("info depth {depth} score {score} time {time} nodes {nodes}{pv}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translator() -> XboardTranslator {
        let mut translator = XboardTranslator::default();
        let answers =
            translator.answer("feature ping=1 usermove=1 setboard=1 myname=\"a b\" done=1");
        assert_eq!(answers, ["id name a b", "feature done=1"]);
        translator
    }

    #[test]
    fn handshakes_and_options_are_translated() {
        let mut translator = XboardTranslator::default();
        let handshake = ["xboard", "protover 2", "ping 0"];
        assert_eq!(translator.command("xboard"), handshake);
        assert_eq!(translator.answer("pong 0"), ["feature done=1"]);
        for (line, answers) in [
            ("feature done=0", &[][..]),
            ("pong 0", &[]),
            ("feature memory=1 smp=0", &["option name Hash type spin default 1 min 1 max 1048576"]),
            (
                "feature option=\"Contempt -spin 5 -9 9\" option=\"Own Book -check 1\"",
                &[
                    "option name Contempt type spin default 5 min -9 max 9",
                    "option name Own Book type check default true",
                ],
            ),
            (
                "feature option=\"Style -combo solid /// *risky\"",
                &["option name Style type combo default risky var solid var risky"],
            ),
            (
                "feature option=\"Null - move -check 1\"",
                &["option name Null - move type check default true"],
            ),
            ("feature done=1", &["feature done=1"]),
            ("# a comment", &[]),
        ] {
            assert_eq!(translator.answer(line), answers, "{line}");
        }
        assert!(!translator.has_ping);
        for (line, command) in [
            ("setoption name Hash value 16", "memory 16"),
            ("setoption name Threads value 2", "cores 2"),
            ("setoption name Own Book value 0", "option Own Book=0"),
            ("setoption name Clear", "option Clear"),
            ("setoption name BookFile value ", "option BookFile="),
        ] {
            assert_eq!(translator.command(line), [command], "{line}");
        }
    }

    #[test]
    fn games_are_translated() {
        let mut engine = translator();
        let setup = ["new", "variant xiangqi", "force", "easy", "post"];
        assert_eq!(engine.command("position startpos"), setup);
        assert_eq!(engine.command("isready"), ["ping 1"]);
        assert_eq!(engine.answer("pong 1"), ["readyok"]);
        let go = engine.command("go wtime 61500 btime 60000 winc 100 binc 0");
        assert_eq!(go, ["level 0 1:02 0.1", "time 6150", "otim 6000", "go"]);
        let info = "info depth 5 score cp -12 time 30 nodes 900 pv h2e2 h9g7";
        assert_eq!(engine.answer(" 5  -12 3 900 h2e2 h9g7"), [info]);
        assert_eq!(engine.answer("move H2-E2"), ["bestmove H2-E2"]);
        assert!(engine.answer("move h2e2").is_empty());
        // Only the new move is sent.
        let next = engine.command("position startpos moves h2e2 h9g7");
        assert_eq!(next, ["force", "usermove h9g7"]);
        let go = engine.command("go wtime 61000 btime 60000 winc 100 binc 0");
        assert_eq!(go, ["time 6100", "otim 6000", "go"]);
        assert_eq!(engine.command("stop"), ["?"]);
        engine.answer("offer draw");
        assert_eq!(engine.answer("2. ... h0g2"), ["bestmove h0g2 draw"]);
        assert!(engine.command("stop").is_empty());
        // Another game.
        let fen = "4k4/9/9/9/9/9/9/9/R8/3K5 b";
        let set = engine.command(&format!("position fen {fen} - - 0 1 moves e9e8"));
        let expected = [format!("setboard {fen} 0 1"), "usermove e9e8".to_owned()];
        assert_eq!(set[5..], expected);
        assert_eq!(engine.command("go depth 3"), ["level 0 1000 0", "sd 3", "go"]);
        // Red is to move.
        assert_eq!(engine.answer("0-1 {Red resigns}"), ["bestmove resign"]);
        for (go, sent) in [
            ("go movetime 90500", ["level 1 1:31 0", "time 9050", "go"]),
            ("go movetime 1500", ["level 1 0:02 0", "time 150", "go"]),
        ] {
            assert_eq!(engine.command(go), sent, "{go}");
        }
        // Both limits are sent, because an engine may ignore the depth.
        let both = engine.command("go depth 1 movetime 2000");
        assert_eq!(both, ["level 1 0:02 0", "time 200", "sd 1", "go"]);
        engine.answer("feature time=0");
        assert_eq!(engine.command("go movetime 1500"), ["level 1 0:02 0", "go"]);
        engine.answer("feature time=1");
        // The time control is not 0:00.
        engine.command("position startpos");
        let short = engine.command("go wtime 900 btime 900 winc 0 binc 0");
        assert_eq!(short, ["level 0 0:01 0", "time 90", "otim 90", "go"]);
        engine.answer("feature time=0");
        assert_eq!(engine.command("go wtime 800 btime 800 winc 0 binc 0"), ["go"]);
        assert_eq!(engine.answer("resign"), ["bestmove resign"]);
        assert_eq!(engine.answer("9 100003 1 5"), ["info depth 9 score mate 3 time 10 nodes 5"]);
        let mated = engine.answer("9 -100002 1 5 a");
        assert_eq!(mated, ["info depth 9 score mate -2 time 10 nodes 5 pv a"]);
        // The smallest number has no absolute value.
        let smallest = engine.answer("9 -9223372036854775808 1 5");
        assert_eq!(smallest, ["info depth 9 score mate -9223372036854675807 time 10 nodes 5"]);
    }

    /// After a refusal the game is sent again. If its position was refused, it is sent in the other form.
    #[test]
    fn refusals_are_recognized() {
        let fen = "2b1k4/9/9/9/9/9/9/9/R1N6/3K5 w - - 3 20";
        let start = format!("position fen {fen} moves a1a2");
        for (line, is_of_position) in [
            ("tellusererror Illegal position", true),
            ("Error (unknown command): setboard", true),
            ("error: bad FEN(-15)", true),
            ("Illegal move: a1a2", false),
            ("Error (unknown command): usermove", false),
        ] {
            let mut engine = translator();
            engine.command(&start);
            for other in ["Error (unknown command): easy", "Illegal move: variant"] {
                engine.answer(other);
                assert_eq!(engine.refusal, None, "{other}");
            }
            assert_eq!(engine.answer(line), [format!("info string {line}")]);
            engine.answer("Illegal move: a1a2");
            assert_eq!(engine.refusal.as_deref(), Some(line));
            engine.command("ucinewgame");
            let sent = engine.command(&start);
            let expected = if is_of_position {
                &format!("setboard {fen}")
            } else {
                "setboard 2e1k4/9/9/9/9/9/9/9/R1H6/3K5 w 3 20"
            };
            assert_eq!(sent[5..], [expected, "usermove a1a2"]);
            assert_eq!(engine.refusal, None);
        }
        // During a search, only a refusal of `go` or of a move ends it.
        for (line, is_refused) in [
            ("Illegal move: time 6100", false),
            ("Error (unknown command): otim", false),
            ("Error (no game): go", true),
            ("Illegal move: a1a2", true),
        ] {
            let mut engine = translator();
            engine.command(&start);
            engine.command("go depth 3");
            let answers = engine.answer(line);
            assert_eq!(engine.refusal.is_some(), is_refused, "{line}");
            let is_ended = answers.last().is_some_and(|last| last == "bestmove refused");
            assert_eq!(is_ended, is_refused, "{line}");
        }
        let mut engine = translator();
        assert!(!engine.lacks_reuse);
        engine.answer("feature setboard=0 reuse=0");
        assert!(engine.lacks_reuse);
        engine.command("position startpos moves h2e2");
        engine.answer("tellusererror Illegal position");
        assert_eq!(engine.refusal, None);
        engine.command(&start);
        assert_eq!(engine.refusal.as_deref(), Some("feature setboard=0"));
    }

    #[test]
    fn claims_offers_and_resignations_are_translated() {
        let mut engine = translator();
        engine.command("position startpos");
        // A claim instead of a move ends the search.
        for claim in ["1-0", "1/2-1/2"] {
            engine.command("go depth 3");
            let answer = engine.answer(&format!("{claim} {{Draw by repetition}}"));
            assert_eq!(answer, [format!("bestmove {claim}")]);
            assert!(engine.answer(claim).is_empty(), "nothing is awaited");
        }
        // An offer or resignation after a move belongs to the next one.
        engine.command("go depth 3");
        assert_eq!(engine.answer("move h2e2"), ["bestmove h2e2"]);
        engine.answer("offer draw");
        engine.command("position startpos moves h2e2 h9g7");
        engine.command("go depth 3");
        assert_eq!(engine.answer("move h0g2"), ["bestmove h0g2 draw"]);
        engine.answer("resign");
        engine.command("position startpos moves h2e2 h9g7 h0g2 g6g5");
        assert_eq!(engine.command("isready"), ["ping 1"]);
        assert_eq!(engine.answer("pong 1"), ["readyok"]);
        assert_eq!(engine.command("go depth 3"), ["ping 2"]);
        assert_eq!(engine.answer("pong 2"), ["bestmove resign"]);
        // A resignation between games does not belong to the next game.
        engine.answer("resign");
        engine.command("position startpos");
        engine.command("go depth 3");
        assert_eq!(engine.answer("move h2e2"), ["bestmove h2e2"]);
    }
}
