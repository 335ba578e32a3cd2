//! The commands of XBoard and CXBoard, and the list of features.

use super::game::refuse_game;
use super::time::set_clock;
use super::{Purpose, XBoard};
use crate::board::{Color, Move};
use crate::movegen::legal_moves;
use crate::notation::fen;
use crate::protocol::codec::{Command, protocol_of_handshake};
use crate::protocol::options::{self, OptionKind, OptionSpec, PathKind, Preferences};
use crate::protocol::text::{Ranks, format_position, split_word};
use crate::rules::Game;
use crate::text::excerpt;

/// The commands that take no argument.
const WITHOUT_ARGUMENT: &str =
    ". ? analyze bk d draw easy exit force go hard hint new nopost playother post remove undo";
/// The commands of tsito's dialect that take no argument.
const TSITO_WITHOUT_ARGUMENT: &str = "blue console red t vomit";

impl XBoard {
    pub fn parse_line(&mut self, line: &str) -> Vec<Command> {
        let (word, rest) = split_word(line);
        let verb = word.to_ascii_lowercase();
        if let Some(protocol) = protocol_of_handshake(&verb) {
            return vec![Command::Handshake(protocol)];
        }
        let is_in = |verbs: &str| verbs.split(' ').any(|word| word == verb);
        let takes_none =
            is_in(WITHOUT_ARGUMENT) || self.is_cxboard && is_in(TSITO_WITHOUT_ARGUMENT);
        if takes_none && !rest.is_empty() {
            return error("surplus argument", line);
        }
        if let Some(commands) = self.parse_game_command(&verb, rest) {
            return commands;
        }
        if let Some(commands) = self.parse_settings(&verb, rest) {
            return commands;
        }
        if self.is_cxboard
            && let Some(commands) = self.parse_tsito(&verb, rest)
        {
            return commands;
        }
        match word {
            "" => Vec::new(),
            _ if word.parse::<Move>().is_ok() => self.user_move(word),
            _ => error("unknown command", line),
        }
    }

    /// The answer to `.`, the progress of an analysis; `None` if no analysis is running.
    fn status_line(&self) -> Option<String> {
        let moves = legal_moves(self.game.position()).len();
        (self.purpose == Some(Purpose::Analyze)).then(|| self.status.line(moves))
    }

    fn parse_game_command(&mut self, verb: &str, rest: &str) -> Option<Vec<Command>> {
        Some(match verb {
            "usermove" => self.user_move(rest),
            "new" => self.new_game(),
            "quit" => {
                let mut commands = self.abort();
                commands.push(Command::Quit);
                commands
            }
            "force" => {
                self.engine = None;
                self.abort()
            }
            "go" => self.play_color(self.game.position().side_to_move()),
            "playother" => self.play_color(!self.game.position().side_to_move()),
            "setboard" => self.set_board(rest),
            // The lines after it, which describe a position, are unknown commands.
            "edit" => self.refuse_position(verb, "Unsupported command: edit; send setboard"),
            "undo" if self.is_cxboard && self.engine.is_some() => {
                error("only in force mode", "undo")
            }
            "undo" => self.back(1),
            "remove" => self.back(2),
            "?" if self.purpose == Some(Purpose::Play) => vec![Command::Stop],
            "?" => Vec::new(),
            "result" => {
                self.engine = None;
                self.over = true;
                self.abort()
            }
            "draw" => {
                self.draw_offered = true;
                Vec::new()
            }
            "analyze" => {
                self.analyzing = true;
                self.engine = None;
                let mut commands = self.abort();
                commands.extend(self.think());
                commands
            }
            "exit" if self.analyzing => {
                self.analyzing = false;
                self.abort()
            }
            "exit" => Vec::new(),
            "hint" => self.hint().into_iter().collect(),
            "ping" if self.purpose == Some(Purpose::Play) => {
                self.pings.push(excerpt(rest));
                Vec::new()
            }
            "ping" => vec![Command::Print(format!("pong {}", excerpt(rest)))],
            _ => return None,
        })
    }

    fn parse_settings(&mut self, verb: &str, rest: &str) -> Option<Vec<Command>> {
        Some(match verb {
            "protover" => features().into_iter().map(Command::Print).collect(),
            "level" => {
                let is_valid = self.time.set_level(rest, self.game.plies().len());
                checked(is_valid, verb, rest)
            }
            "st" => checked(self.time.set_move_time(rest), verb, rest),
            "sd" => {
                let depth = rest.parse().ok().filter(|depth: &u32| *depth > 0);
                self.time.depth = depth.or(self.time.depth);
                checked(depth.is_some(), verb, rest)
            }
            "time" if !rest.is_empty() || !self.is_cxboard => {
                checked(set_clock(&mut self.time.own, rest), verb, rest)
            }
            "otim" => checked(set_clock(&mut self.time.opponent, rest), verb, rest),
            "post" | "nopost" => {
                self.posting = verb == "post";
                // Lines of a ponder search, if they are shown from now on, begin after the expected reply.
                self.ponder_hint().into_iter().collect()
            }
            "hard" => {
                self.pondering = true;
                vec![option("ponder", "true")]
            }
            "easy" => {
                self.pondering = false;
                self.change_option("ponder", "false")
            }
            "memory" => self.change_option("hashsize", rest),
            "cores" => self.change_option("threads", rest),
            "option" => {
                let (name, value) = rest.split_once('=').unwrap_or((rest, ""));
                self.change_option(name.trim(), value.trim())
            }
            "rating" => {
                let opponent = split_word(rest).1;
                let is_number = opponent.parse::<u32>().is_ok_and(|elo| elo > 0);
                let elo = if is_number { opponent } else { "none" };
                self.is_rated = is_number;
                vec![option("UCI_Opponent", &format!("none {elo} computer x"))]
            }
            "variant" if rest == "xiangqi" => Vec::new(),
            "variant" => error("unsupported variant", &format!("{verb} {rest}")),
            "bk" if self.is_invalid => {
                let mut commands = refuse_game();
                commands.push(Command::Print(String::new()));
                commands
            }
            "bk" => vec![Command::ShowBook(self.position_text())],
            "d" if self.is_invalid => refuse_game(),
            "d" => {
                let lines = format_position(self.game.position(), Ranks::FromZero).into_iter();
                lines.map(|line| Command::Print(format!("# {line}"))).collect()
            }
            "." => self.status_line().map(Command::Print).into_iter().collect(),
            "accepted" | "rejected" | "random" | "computer" | "name" | "ics" => Vec::new(),
            _ => return None,
        })
    }

    fn parse_tsito(&mut self, verb: &str, rest: &str) -> Option<Vec<Command>> {
        Some(match verb {
            "set" => self.set_option(rest, &format!("{verb} {rest}")),
            "search" | "nullmove" | "verifynull" | "hash" | "hashadjust" | "iterative" => {
                let line = format!("{verb} {rest}");
                self.set_option(&line, &line)
            }
            "console" => {
                self.console = true;
                vec![Command::Print(self.board())]
            }
            // These commands name the side of the client.
            "red" => self.play_color(Color::Black),
            "blue" => self.play_color(Color::Red),
            "time" | "t" => {
                let used = match self.time.move_time {
                    Some(_) => self.turn_began.elapsed(),
                    None => Default::default(),
                };
                let left = self.time.available().saturating_sub(used);
                vec![Command::Print(format!("time {}", left.as_secs()))]
            }
            "vomit" => vec![Command::PrintError(self.history())],
            _ => return None,
        })
    }

    /// Sets an option by its name in tsito or in any other protocol. `text` is the name and the value, `line` the
    /// received line, for error messages.
    fn set_option(&mut self, text: &str, line: &str) -> Vec<Command> {
        let (name, value) = split_word(text);
        // `hash on` turns the hash table on; `Hash 16` sets its size.
        let is_switch = name.eq_ignore_ascii_case("hash") && value.parse::<u64>().is_err();
        let name = if is_switch { "usehash" } else { name };
        let text = format!("{name} {value}");
        match options::set(&text, None, &mut Preferences::default()) {
            // Without a value, the text is split into name and value where the name of an option ends.
            Some(Ok(_)) => self.change_option(&text, ""),
            Some(Err(_)) => error("bad argument", line),
            None => error("unknown option", line),
        }
    }

    /// The first position, the current one and the moves between them.
    fn history(&self) -> String {
        let start = self.start.as_deref().unwrap_or(fen::START);
        let moves = self.game.plies().iter().map(|ply| ply.played.to_string());
        let moves: Vec<String> = moves.collect();
        format!("{start}\n{}\n{}", self.game.position(), moves.join(" "))
    }

    /// Sets an option. Analysis and pondering start again with it. A search for a move continues, and the session sets
    /// the option after it.
    fn change_option(&mut self, name: &str, value: &str) -> Vec<Command> {
        let purpose = self.purpose;
        let mut commands = match purpose {
            Some(Purpose::Analyze | Purpose::Ponder) => self.abort(),
            Some(Purpose::Play) | None => Vec::new(),
        };
        commands.push(option(name, value));
        match purpose {
            Some(Purpose::Analyze) => commands.extend(self.think()),
            Some(Purpose::Ponder) => commands.extend(self.ponder()),
            Some(Purpose::Play) | None => {}
        }
        commands
    }

    fn new_game(&mut self) -> Vec<Command> {
        let mut commands = self.abort();
        if let Ok(game) = self.new_game_from(fen::START) {
            self.restart(None, game);
        }
        self.engine = (!self.analyzing).then_some(Color::Black);
        self.time.restart();
        if std::mem::take(&mut self.is_rated) {
            commands.push(option("UCI_Opponent", "none none computer x"));
        }
        commands.push(Command::NewGame);
        commands.extend(self.think());
        commands
    }

    /// Handles `setboard`, which starts a new game in tsito's dialect.
    fn set_board(&mut self, text: &str) -> Vec<Command> {
        let game = match self.new_game_from(text) {
            Ok(game) => game,
            Err(error) => {
                let reason = excerpt(&error.reasons_text());
                return self.refuse_position(text, &format!("Illegal position: {reason}"));
            }
        };
        let mut commands = self.abort();
        self.restart(Some(text.to_owned()), game);
        if self.is_cxboard {
            commands.push(Command::NewGame);
        }
        commands.extend(self.think());
        commands
    }

    /// Refuses to set up a position; `text` is not a legal FEN. Then there is no game until another position is set.
    fn refuse_position(&mut self, text: &str, reason: &str) -> Vec<Command> {
        let mut commands = self.abort();
        self.restart(Some(text.to_owned()), Game::startpos());
        self.is_invalid = true;
        commands.push(Command::Print(format!("tellusererror {reason}")));
        commands
    }

    /// Lets the engine play a side, and starts its search if it is to move.
    fn play_color(&mut self, color: Color) -> Vec<Command> {
        self.engine = Some(color);
        self.analyzing = false;
        // The game may be continued after `result`, unless the rules end it.
        self.over = false;
        let mut commands = self.abort();
        match self.announce_end() {
            Some(end) => commands.push(Command::Print(end)),
            None => commands.extend(self.think()),
        }
        commands
    }

    fn back(&mut self, count: usize) -> Vec<Command> {
        let mut commands = self.abort();
        self.take_back(count);
        if self.analyzing {
            commands.extend(self.think());
        }
        commands
    }
}

fn error(reason: &str, line: &str) -> Vec<Command> {
    vec![Command::Print(format!("Error ({reason}): {}", excerpt(line)))]
}

/// No command for a valid argument, otherwise an error.
fn checked(is_valid: bool, verb: &str, rest: &str) -> Vec<Command> {
    if is_valid { Vec::new() } else { error("bad argument", &format!("{verb} {rest}")) }
}

fn option(name: &str, value: &str) -> Command {
    Command::SetOption {
        name: name.to_owned(),
        value: Some(value.to_owned()).filter(|value| !value.is_empty()),
    }
}

/// Options that are not listed: those with commands (`memory`, `cores`, `easy` and `hard`, `new`, `rating`) and those
/// without a use in XBoard.
const UNLISTED: [&str; 14] = [
    "hashsize",
    "threads",
    "ponder",
    "newgame",
    "UCI_Opponent",
    "usemillisec",
    "batch",
    "UCI_ShowWDL",
    "UCI_ShowCurrLine",
    "UCI_ShowRefutations",
    "UCI_EngineAbout",
    "UCI_Variant",
    "UCI_Chess960",
    "Protocol",
];

/// The answer to `protover`.
fn features() -> Vec<String> {
    let mut lines = vec![
        "feature done=0".to_owned(),
        concat!("feature myname=\"Chuhe ", env!("CARGO_PKG_VERSION"), "\"").to_owned(),
        "feature variants=\"xiangqi\" ping=1 setboard=1 usermove=1 playother=1 san=0".to_owned(),
        "feature time=1 draw=1 analyze=1 colors=0 sigint=0 sigterm=0 reuse=1".to_owned(),
        "feature name=1 nps=0 pause=0 debug=1 memory=1 smp=1".to_owned(),
    ];
    lines.extend(options::all().filter_map(|spec| option_feature(&spec)));
    lines.push("feature done=1".to_owned());
    lines
}

fn option_feature(spec: &OptionSpec) -> Option<String> {
    let name = spec.name();
    if UNLISTED.contains(&name) {
        return None;
    }
    let kind = match spec.kind {
        OptionKind::Check { default, .. } => format!("-check {}", u8::from(default)),
        OptionKind::Spin { min, max, default, .. } => format!("-spin {default} {min} {max}"),
        OptionKind::Combo { words, default, .. } => {
            let choices = words.iter().enumerate().map(|(n, word)| {
                let mark = if n == default { "*" } else { "" };
                format!("{mark}{word}")
            });
            let choices: Vec<String> = choices.collect();
            format!("-combo {}", choices.join(" /// "))
        }
        OptionKind::Text { default, path_kind, .. } => match path_kind {
            PathKind::None => format!("-string {default}"),
            PathKind::File => format!("-file {default}"),
            PathKind::Directory => format!("-path {default}"),
        },
        OptionKind::Button => "-button".to_owned(),
        #[cfg(feature = "tune")]
        OptionKind::Parameter(p) => format!("-spin {} {} {}", p.default, p.min, p.max),
    };
    Some(format!("feature option=\"{name} {kind}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_end_with_done() {
        let lines = features();
        assert_eq!(lines.last().unwrap(), "feature done=1");
        assert!(lines.iter().all(|line| line.starts_with("feature ")));
        let style = "feature option=\"style -combo solid /// *normal /// risky\"";
        assert!(lines.iter().any(|line| line == style), "{lines:?}");
        assert!(UNLISTED.iter().all(|name| { options::all().any(|spec| spec.name() == *name) }));
    }
}
