//! The game that the codec keeps: moves, searches, results.

use std::time::Instant;

use super::{AnalysisStatus, Purpose, XBoard};
use crate::movegen::legal_moves;
use crate::notation::diagram::{DiagramStyle, draw};
use crate::notation::fen::{self, FenError};
use crate::notation::parse_move;
use crate::notation::tree::GameResult;
use crate::protocol::codec::{Command, PositionText};
use crate::protocol::go::GoRequest;
use crate::protocol::text::Ranks;
use crate::rules::{Cause, Game};
use crate::text::excerpt;

impl XBoard {
    /// Stops the search in progress, whose move is discarded, and answers the `ping`s that waited for it.
    pub fn abort(&mut self) -> Vec<Command> {
        self.follow_up.clear();
        let mut commands = Vec::new();
        if self.purpose.take().is_some() {
            self.discarded += 1;
            commands.push(Command::Stop);
        }
        commands.extend(self.pongs().into_iter().map(Command::Print));
        commands
    }

    fn position(&self) -> Command {
        Command::Position(self.position_text())
    }

    pub fn position_text(&self) -> PositionText {
        let moves = self.game.plies().iter();
        PositionText {
            fen: self.start.clone(),
            moves: moves.map(|ply| ply.played.to_string()).collect(),
            ranks: Ranks::FromZero,
        }
    }

    /// The answer to `hint`: the expected reply.
    pub fn hint(&self) -> Option<Command> {
        let expected = self.expected?;
        Some(Command::Print(format!("Hint: {expected}")))
    }

    /// The expected reply, if the lines of a ponder search are shown: they begin after this move.
    pub fn ponder_hint(&self) -> Option<Command> {
        let are_shown = self.purpose == Some(Purpose::Ponder) && self.shows_lines();
        self.hint().filter(|_| are_shown)
    }

    /// Starts an analysis in analysis mode, and otherwise the search for the engine's move if it is the engine's turn.
    /// If the engine has no legal move, announces the result. Refuses a game that is not legal.
    pub fn think(&mut self) -> Vec<Command> {
        if self.is_invalid {
            return refuse_game();
        }
        if self.analyzing {
            self.purpose = Some(Purpose::Analyze);
            self.status = AnalysisStatus::new();
            let go = Command::Go(Ok(GoRequest::default()));
            return vec![self.position(), go];
        }
        if self.over || self.engine != Some(self.game.position().side_to_move()) {
            return Vec::new();
        }
        if legal_moves(self.game.position()).is_empty() {
            return self.announce_end().map(Command::Print).into_iter().collect();
        }
        self.purpose = Some(Purpose::Play);
        let request = GoRequest { draw: std::mem::take(&mut self.draw_offered), ..self.request() };
        vec![self.position(), Command::Go(Ok(request))]
    }

    fn request(&self) -> GoRequest {
        self.time.request(self.game.plies().len())
    }

    /// Ponders on the expected reply. This search has no time limit: the opponent's move ends it, and a new search
    /// begins, with the clocks and the draw offer received by then.
    pub fn ponder(&mut self) -> Vec<Command> {
        let may_ponder = self.pondering && !self.over && !self.is_invalid;
        let Some(expected) = self.expected.filter(|_| may_ponder) else {
            return Vec::new();
        };
        let mut game = self.game.clone();
        if game.push(expected).is_err() {
            return Vec::new();
        }
        self.purpose = Some(Purpose::Ponder);
        let request = GoRequest { ponder: true, ..self.request() };
        let mut position = self.position();
        if let Command::Position(text) = &mut position {
            text.moves.push(expected.to_string());
        }
        let search = [position, Command::Go(Ok(request))];
        self.ponder_hint().into_iter().chain(search).collect()
    }

    /// Handles the opponent's move, or one entered in force or analysis mode.
    pub fn user_move(&mut self, text: &str) -> Vec<Command> {
        let refuse = |reason: &str| {
            let text = excerpt(text);
            vec![Command::Print(format!("Illegal move ({reason}): {text}"))]
        };
        if self.is_invalid {
            return refuse("the position is illegal");
        }
        if self.purpose == Some(Purpose::Play) {
            return refuse("it is the engine's turn");
        }
        if self.over && self.engine.is_some() {
            return refuse("the game is over");
        }
        let played = match parse_move(self.game.position(), text) {
            Ok(played) => played,
            Err(error) => return refuse(&error.to_string()),
        };
        if let Some(commands) = self.lose_on_time() {
            return commands;
        }
        if self.game.push(played).is_err() {
            return refuse("it is not legal");
        }
        let mut commands = self.abort();
        self.expected = None;
        commands.extend(self.after_move().into_iter().map(Command::Print));
        commands.extend(self.think());
        commands
    }

    /// In tsito's dialect a move after more than `st` seconds loses the game.
    fn lose_on_time(&mut self) -> Option<Vec<Command>> {
        let limit = self.time.move_time?;
        let late = self.is_cxboard && self.engine.is_some() && self.turn_began.elapsed() > limit;
        if !late {
            return None;
        }
        let loser = self.game.position().side_to_move();
        let mut commands = self.abort();
        let text = format!("{} loses on time", self.side(loser));
        let result = self.end_game(GameResult::win_of(!loser), &text);
        commands.push(Command::Print(result));
        Some(commands)
    }

    /// The lines after a move: the board in console mode, and the result if the game is over.
    pub fn after_move(&mut self) -> Vec<String> {
        self.turn_began = Instant::now();
        let mut lines = Vec::new();
        if self.console {
            lines.push(self.board());
        }
        // If the engine plays neither side, the game is being analyzed or entered, and continues.
        if self.engine.is_some() {
            lines.extend(self.announce_end());
        }
        lines
    }

    /// Ends the game if the rules end it, and returns its result.
    pub fn announce_end(&mut self) -> Option<String> {
        if self.is_invalid {
            return None;
        }
        let judgment = self.settings.judge_outcome(&self.game);
        let result = judgment.verdict.result();
        if result == GameResult::Unfinished {
            return None;
        }
        let text = match (judgment.cause, judgment.verdict.loser()) {
            (Cause::Checkmate, Some(loser)) => format!("{} mates", self.side(!loser)),
            (Cause::Repetition, Some(loser)) => {
                let offense = judgment.end_reason().unwrap_or_default();
                format!("{} loses by {offense}", self.side(loser))
            }
            (cause, Some(loser)) => format!("{} wins by {cause}", self.side(!loser)),
            (cause, None) => format!("Draw by {cause}"),
        };
        Some(self.end_game(result, &text))
    }

    /// Ends the game, and returns its result as a line.
    fn end_game(&mut self, result: GameResult, text: &str) -> String {
        self.over = true;
        format!("{result} {{{text}}}")
    }

    pub fn board(&self) -> String {
        let last = self.game.plies().last().map(|ply| ply.played);
        draw(self.game.position(), DiagramStyle::default(), last)
    }

    pub fn restart(&mut self, start: Option<String>, game: Game) {
        self.start = start;
        self.game = game;
        self.is_invalid = false;
        self.over = false;
        self.expected = None;
        self.draw_offered = false;
        self.time.period_start = 0;
        self.turn_began = Instant::now();
    }

    pub fn new_game_from(&self, fen: &str) -> Result<Game, FenError> {
        fen::parse_variant_position(fen, self.promotion).map(Game::new)
    }

    /// Parses the game again, after a change of the variant or after moves were taken back, and stores whether it is
    /// legal. If it is not legal in a new variant, the session reports the error.
    pub fn parse_again(&mut self) {
        let start = self.start.as_deref().unwrap_or(fen::START);
        let game = self.new_game_from(start).ok().and_then(|mut game| {
            let mut moves = self.game.plies().iter().map(|ply| ply.played);
            moves.all(|played| game.push(played).is_ok()).then_some(game)
        });
        self.is_invalid = game.is_none();
        if let Some(game) = game {
            self.game = game;
        }
    }

    pub fn take_back(&mut self, count: usize) {
        for _ in 0..count {
            self.game.pop();
        }
        if self.is_invalid {
            self.parse_again();
        }
        self.over = false;
        self.expected = None;
        self.turn_began = Instant::now();
    }
}

/// The answer to a command that needs a legal game while the game is not legal.
pub fn refuse_game() -> Vec<Command> {
    let text = "Error (illegal position): set up another one";
    vec![Command::Print(text.to_owned())]
}
