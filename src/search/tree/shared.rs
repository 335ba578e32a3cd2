//! What the threads of one search share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use crossbeam_channel::Sender;

use super::current_lines::CurrentLines;
use super::root_ending::RootEnding;
use super::team::Team;
use crate::board::Move;
use crate::eval::nnue::Network;
use crate::rules::Game;
use crate::search::event::Event;
use crate::search::game_occurrences::GameOccurrences;
use crate::search::request::{Control, Limits, Settings};
use crate::search::score::Score;
use crate::search::time::TimeManager;
use crate::tablebase::Tables;

/// One request, as its threads see it.
#[derive(Debug)]
pub(in crate::search) struct SharedState {
    pub game: Game,
    /// How often the positions of the game have occurred.
    pub occurrences: GameOccurrences,
    pub limits: Limits,
    pub settings: Settings,
    /// The network that evaluates where the settings ask for all knowledge; `None` for the
    /// embedded one.
    pub network: Option<Arc<Network>>,
    /// The endgame tables to look positions up in.
    pub tables: Option<Arc<Tables>>,
    /// What a table says of the position to search.
    pub root_ending: RootEnding,
    pub control: Arc<Control>,
    /// Legal root moves to look at.
    pub root_moves: Vec<Move>,
    /// The time limits of the search; `None` with neither a clock nor a time for the move.
    pub time: Option<TimeManager>,
    /// Nodes of all threads, brought up to date at each poll.
    pub nodes: AtomicU64,
    /// Positions found in tables by all threads, as up to date.
    pub table_hits: AtomicU64,
    /// Set when the main thread is done.
    pub finished: AtomicBool,
    /// Receives the reports of the first thread; `None` where no one reads them.
    pub events: Option<Sender<Event>>,
    /// The lines that the threads are at, where they are reported.
    pub current_lines: CurrentLines,
    /// What the threads tell each other; none for a thread alone.
    pub team: Option<Team>,
}

impl SharedState {
    /// What is reported of a score: in a position that a table has as drawn, the worth of a draw, unless
    /// the move loses.
    pub(in crate::search) fn reported_score(&self, score: Score) -> Score {
        match self.root_ending.is_draw && !score.is_proven() {
            true => self.settings.draw_score(),
            false => score,
        }
    }
}

#[cfg(test)]
impl SharedState {
    /// A search of `position` with the usual settings and without reports.
    pub(in crate::search) fn of_position(position: crate::board::Position) -> Self {
        let root_moves = crate::movegen::legal_moves(&position).to_vec();
        let game = Game::new(position);
        Self {
            occurrences: GameOccurrences::new(&game, Settings::default().rules),
            root_ending: RootEnding::new(None, game.position(), Settings::default().rules),
            game,
            limits: Limits::default(),
            settings: Settings::default(),
            network: None,
            tables: None,
            control: Control::new(false),
            root_moves,
            time: None,
            nodes: AtomicU64::new(0),
            table_hits: AtomicU64::new(0),
            finished: AtomicBool::new(false),
            events: None,
            current_lines: CurrentLines::default(),
            team: None,
        }
    }
}
