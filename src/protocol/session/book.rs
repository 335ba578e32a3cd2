//! Moves of the opening books.

use std::io::Write;

use rand::rng;

use super::Session;
use super::book_answer::BookAnswer;
use super::current_game::read_game;
use super::plan::GoPlan;
use crate::book::{BookLibrary, BookMove, choose};
use crate::protocol::command::{GoRequest, PositionText};
use crate::protocol::reply::Reply;
use crate::rules::Game;
use crate::search::Randomness;

/// How sharply the heavier moves are preferred; `None` for the heaviest alone.
fn sharpness(randomness: Randomness) -> Option<f64> {
    match randomness {
        Randomness::None => None,
        Randomness::Tiny => Some(8.0),
        Randomness::Small => Some(4.0),
        Randomness::Medium => Some(2.0),
        Randomness::Large => Some(1.0),
        Randomness::Huge => Some(0.5),
    }
}

impl<W: Write> Session<W> {
    /// Plays from the books from now on, or not, whatever the protocol.
    pub(super) fn set_use_book(&mut self, on: bool) {
        self.preferences.use_book = on;
        self.has_switched_books = true;
    }

    /// Takes the books that the client names.
    pub(super) fn name_books(&mut self, files: &str) {
        self.has_named_books = true;
        self.set_books(files);
    }

    /// Takes these books from now on; those that cannot be used are reported.
    pub(super) fn set_books(&mut self, files: &str) {
        let (books, problems) = BookLibrary::open(files);
        self.books = books;
        for problem in problems {
            self.refuse("bookfiles", &problem);
        }
    }

    /// What the books answer where the engine plays by the clock: nothing in analysis and with limits of
    /// depth or nodes alone, where a search is expected, or where it suggests a move itself.
    pub(super) fn book_answer(&mut self, request: &GoRequest, plan: &GoPlan) -> Option<BookAnswer> {
        let limits = &plan.limits;
        let is_analysis = self.preferences.analyse_mode
            || limits.clock.is_none() && limits.move_time.is_none()
            || limits.mate.is_some()
            || plan.settings.multipv > 1;
        // Programs that only want to know a score set a time for it, or a depth beside a clock.
        let is_game = limits.clock.is_some() && limits.depth.is_none() && limits.nodes.is_none();
        let is_suggested = request.book_move.is_some() || request.table_move.is_some();
        if !self.preferences.use_book || self.books.is_empty() || is_analysis || is_suggested {
            return None;
        }
        if !self.has_named_books && !is_game {
            return None;
        }
        let found = self.books.fresh_moves(&plan.game, |m| plan.may_play(m));
        let moves = self.reported(found);
        let sharpness = sharpness(plan.settings.randomness);
        let best = moves.get(choose(&moves, sharpness, &mut rng())?)?.played;
        let mut after = plan.game.clone();
        after.push(best).ok()?;
        let ponder = self.known_moves(&after).first().map(|m| m.played);
        Some(BookAnswer {
            moves,
            best,
            ponder,
        })
    }

    /// The moves of the books for the position at the end of a game.
    fn known_moves(&mut self, game: &Game) -> Vec<BookMove> {
        let found = self.books.moves(game.position());
        self.reported(found)
    }

    /// The moves that were found, and a report of each book that failed.
    fn reported(&mut self, (moves, problems): (Vec<BookMove>, Vec<String>)) -> Vec<BookMove> {
        for problem in problems {
            self.refuse("bookfiles", &problem);
        }
        moves
    }

    /// Tells the moves of the books for a position, whether the engine plays from them or not.
    pub(super) fn show_book(&mut self, text: &PositionText) {
        let moves = match read_game(text, self.preferences.promotion) {
            Ok(game) => self.known_moves(&game),
            Err(error) => {
                self.refuse("book", &error.to_string());
                Vec::new()
            }
        };
        self.send(&Reply::BookContents(&moves));
    }

    /// Answers a `go` from the books.
    pub(super) fn answer_from_book(&mut self, plan: &GoPlan, answer: &BookAnswer) {
        self.report_book(answer);
        let outcome = answer.outcome();
        let is_draw = false;
        let action =
            self.draw_resign
                .decide(&plan.game, &outcome, is_draw, is_draw, &self.preferences);
        self.send(&Reply::BestMove {
            best: answer.best,
            ponder: answer.ponder,
            action,
        });
    }

    /// Tells the moves of the books, the one that is played last: clients show the last line before it.
    pub(super) fn report_book(&mut self, answer: &BookAnswer) {
        let is_best = |m: &BookMove| m.played == answer.best;
        let mut moves = answer.moves.clone();
        // The others stay as they are.
        moves.sort_by_key(is_best);
        for m in &moves {
            self.send(&Reply::BookMove {
                played: m.played,
                weight: m.weight,
                is_best: is_best(m),
            });
        }
    }
}
