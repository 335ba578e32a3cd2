//! The position that the client has set, and the moves played from it.

use crate::board::{Move, Position};
use crate::movegen::legal_moves;
use crate::notation::{fen, parse_move};
use crate::protocol::codec::PositionText;
use crate::protocol::text::Ranks;
use crate::rules::{Game, Ply};
use crate::text::{excerpt, fill, quoted, texts};

/// The maximum number of errors of one line that are reported; the others are only counted.
const MAX_REPORTED: usize = 32;

/// The position to search, and the moves that are banned in it.
#[derive(Clone, Debug)]
pub struct CurrentGame {
    /// The last `position`, to be parsed again when the variant changes.
    text: PositionText,
    /// `None` if the last position was invalid or its line too long.
    game: Option<Game>,
    banned: Vec<Move>,
    /// Key of the start position of the last game that was reported as irregular.
    reported: Option<u64>,
}

impl CurrentGame {
    pub fn new() -> Self {
        Self {
            text: PositionText::START,
            game: Some(Game::startpos()),
            banned: Vec::new(),
            reported: None,
        }
    }

    /// A note if the position cannot arise in a game, once for each game.
    pub fn irregularity_note(&mut self) -> Option<String> {
        let game = self.game.as_ref()?;
        let key = |ply: &Ply| ply.undo.key();
        let start = Some(game.plies().first().map_or(game.position().key(), key));
        if self.reported == start {
            return None;
        }
        let note = game.position().irregularity_note()?;
        self.reported = start;
        Some(note)
    }

    /// Sets the position and clears the bans. Returns a message about moves that are ignored.
    ///
    /// # Errors
    /// Returns the errors of the FEN. There is no current game then: a search of the previous position would not be
    /// what the client wants.
    pub fn set(&mut self, text: PositionText, promotion: bool) -> Result<Option<String>, String> {
        self.text = text;
        self.banned.clear();
        self.parse_again(promotion)
    }

    /// Parses the position again with the other numbering of the ranks. If the FEN is valid and all moves are legal with
    /// it, adopts this game and returns that numbering; otherwise the game stays as it is. Some clients that follow
    /// Pikafish set `UCI_Variant` but count ranks from 0. Ranks from 1 are only recognized if `may_be_from_one`.
    pub fn recognize_ranks(&mut self, may_be_from_one: bool, promotion: bool) -> Option<Ranks> {
        if self.text.ranks == Ranks::FromZero && !may_be_from_one {
            return None;
        }
        let text = PositionText { ranks: self.text.ranks.other(), ..self.text.clone() };
        let Ok((game, None)) = parse_game(&text, promotion) else {
            return None;
        };
        self.text = text;
        self.game = Some(game);
        Some(self.text.ranks)
    }

    /// Parses the position again, with or without the promotion variant. Bans stay.
    pub fn parse_again(&mut self, promotion: bool) -> Result<Option<String>, String> {
        self.game = None;
        let (game, ignored) = parse_game(&self.text, promotion)?;
        self.game = Some(game);
        Ok(ignored)
    }

    /// Removes the position, after a `position` line that was too long.
    pub fn clear(&mut self) {
        self.game = None;
        // An invalid FEN, so that there is no game after the variant changes either.
        self.text.fen = Some(String::new());
        self.banned.clear();
    }

    pub fn game(&self) -> Option<&Game> {
        self.game.as_ref()
    }

    /// Bans moves until the next position is set. Illegal moves may be banned as well.
    ///
    /// # Errors
    /// Returns a message if there is no current game, or about the texts that are not moves; nothing is banned then.
    pub fn ban(&mut self, words: &[String], ranks: Ranks) -> Result<(), String> {
        let Some(game) = &self.game else {
            return Err(texts().invalid_last_position.to_owned());
        };
        let (mut moves, mut errors) = (Vec::new(), Vec::new());
        for text in words {
            match read_move(text, ranks, game.position()) {
                Ok(banned) => moves.push(banned),
                Err(error) => errors.push(error),
            }
        }
        if !errors.is_empty() {
            return Err(join_errors(&errors));
        }
        // A line may repeat a move many times.
        for banned in moves {
            if !self.banned.contains(&banned) {
                self.banned.push(banned);
            }
        }
        Ok(())
    }

    /// The moves that may be played, limited to `wanted` if given; `None` means all legal moves. Empty if no move
    /// may be played.
    pub fn root_moves(&self, game: &Game, wanted: Option<&[Move]>) -> Option<Vec<Move>> {
        let legal = legal_moves(game.position());
        let allowed: Vec<Move> = legal
            .iter()
            .copied()
            .filter(|m| !self.banned.contains(m))
            .filter(|m| wanted.is_none_or(|wanted| wanted.contains(m)))
            .collect();
        let are_all = allowed.len() == legal.len() && !legal.is_empty();
        (!are_all).then_some(allowed)
    }
}

/// Parses a position and the moves from it. Plays the moves before the first illegal one, because some clients send the
/// current position together with the moves that led to it. Returns the game, and a message about the other moves.
///
/// # Errors
/// Returns the errors of the FEN.
pub fn parse_game(text: &PositionText, promotion: bool) -> Result<(Game, Option<String>), String> {
    let fen = text.fen.as_deref().unwrap_or(fen::START);
    let position = fen::parse_variant_position(fen, promotion).map_err(|error| {
        let reasons: Vec<String> = error.reasons.iter().map(ToString::to_string).collect();
        join_errors(&reasons)
    })?;
    let mut game = Game::new(position);
    for (index, played) in text.moves.iter().enumerate() {
        let error = match read_move(played, text.ranks, game.position()) {
            Ok(legal) if game.push(legal).is_ok() => continue,
            Ok(_) => fill(texts().not_a_legal_move, &[&quoted(&excerpt(played))]),
            Err(error) => error,
        };
        let numbers = [index + 1, text.moves.len()].map(|number| number.to_string());
        let ignored = fill(texts().moves_ignored, &[&numbers[0], &numbers[1], &error]);
        return Ok((game, Some(ignored)));
    }
    Ok((game, None))
}

/// Parses a move: coordinates, or any notation of a legal move.
///
/// # Errors
/// Returns a message if the text is not a move.
fn read_move(text: &str, ranks: Ranks, position: &Position) -> Result<Move, String> {
    let has_other_ranks = ranks.only_other_parses(text);
    let notation = || {
        let played = parse_move(position, text).ok();
        played.filter(|_| !has_other_ranks)
    };
    if let Some(played) = ranks.parse(text).or_else(notation) {
        return Ok(played);
    }
    let hint = if has_other_ranks { texts().other_ranks } else { "" };
    Err(fill(texts().not_a_move, &[&quoted(&excerpt(text)), hint]))
}

/// The message for the errors of one line, of which the first ones are kept.
fn join_errors(errors: &[String]) -> String {
    let kept = errors.iter().take(MAX_REPORTED);
    let mut messages: Vec<String> = kept.map(|error| excerpt(error)).collect();
    if errors.len() > MAX_REPORTED {
        let more = (errors.len() - MAX_REPORTED).to_string();
        messages.push(fill(texts().and_more, &[&more]));
    }
    messages.join(texts().clause_comma)
}
