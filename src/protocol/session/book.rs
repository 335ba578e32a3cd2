//! Moves from the opening books.

use rand::rng;

use super::adjudication::Offers;
use super::state::{BookAnswer, Session};
use crate::book::{BookMove, choose};
use crate::protocol::codec::{PositionText, Reply};
use crate::protocol::go::GoRequest;
use crate::protocol::options::plays_from_books;
use crate::rules::Game;
use crate::search::{Randomness, SearchRequest};

/// The exponent for [`choose`]: the larger it is, the more often moves with high weights are played. With `None` the
/// engine always plays a move with the highest weight.
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

impl Session {
    /// The book move for a `go`; `None` if the engine must search:
    ///
    /// - The open books contain no move that may be played and does not repeat a position, or the current position is
    ///   itself a repetition.
    /// - An option, or the default of the protocol, disables the books, or only the default books are open and this is
    ///   not a game with clocks.
    /// - It is an analysis: analysis mode, an infinite search, neither a clock nor a time for the move, a search for a
    ///   mate, or MultiPV above 1.
    /// - The client suggests a move.
    pub fn book_answer(&mut self, go: &GoRequest, request: &SearchRequest) -> Option<BookAnswer> {
        let limits = &request.limits;
        let default = plays_from_books(self.protocol);
        let is_analysis = self.preferences.analyse_mode
            || go.infinite
            || limits.clock.is_none() && limits.move_time.is_none()
            || limits.mate.is_some()
            || request.settings.multipv > 1;
        let is_suggested = go.book_move.is_some() || go.table_move.is_some();
        if !self.preferences.use_book.unwrap_or(default) || is_analysis || is_suggested {
            return None;
        }
        if self.books.is_empty()
            || self.preferences.books.is_none()
                && !go.is_game(request.game.position().side_to_move())
        {
            return None;
        }
        let moves = self.books.fresh_moves(&request.game, |m| request.may_play(m));
        let moves = self.report_problems(moves);
        let sharpness = sharpness(self.preferences.randomness());
        let best = moves.get(choose(&moves, sharpness, &mut rng())?)?.played;
        let mut after = request.game.clone();
        after.push(best).ok()?;
        let ponder = self.book_moves(&after).first().map(|m| m.played);
        Some(BookAnswer { moves, best, ponder })
    }

    fn book_moves(&mut self, game: &Game) -> Vec<BookMove> {
        let moves = self.books.moves(game.position());
        self.report_problems(moves)
    }

    /// Reports each book that failed, and returns the moves.
    fn report_problems(
        &mut self,
        (moves, problems): (Vec<BookMove>, Vec<String>),
    ) -> Vec<BookMove> {
        for problem in problems {
            self.refuse("bookfiles", &problem);
        }
        moves
    }

    /// Sends the book moves for a position, whether or not the engine plays from the books.
    pub fn show_book(&mut self, text: &PositionText) {
        let game = self.game_or_refuse("book", text);
        let moves = game.map_or_else(Vec::new, |game| self.book_moves(&game));
        self.send(&Reply::BookContents(&moves));
    }

    pub fn answer_from_book(&mut self, game: &Game, answer: &BookAnswer) {
        self.report_book(answer);
        let action =
            self.adjudicator.decide(game, &answer.outcome(), Offers::default(), &self.preferences);
        self.send_best_move(game, answer.best, answer.ponder, action);
    }

    /// Reports the book moves. The move to play comes last: clients show the last line before `bestmove`.
    pub fn report_book(&mut self, answer: &BookAnswer) {
        let is_best = |m: &BookMove| m.played == answer.best;
        let mut moves = answer.moves.clone();
        moves.sort_by_key(is_best);
        for m in &moves {
            self.send(&Reply::BookMove { played: m.played, weight: m.weight, is_best: is_best(m) });
        }
    }
}
