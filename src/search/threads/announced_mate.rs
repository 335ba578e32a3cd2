//! The mate announced by the last search.
//!
//! A mate score is a proof, but the next search may not find the mate again: it may end earlier, or, near the
//! no-capture limit, not use the scores of the transposition table. After the expected reply, the rest of the line
//! still mates.

use crate::board::NoCaptureClock;
use crate::rules::Game;
use crate::search::event::{Bound, SearchLine};
use crate::search::request::{Driver, SearchRequest, Settings};
use crate::search::score::{Meaning, Score};

/// The rest of a mating line after its first two moves, and the position in which it begins.
#[derive(Debug)]
pub struct AnnouncedMate {
    position: RecentKeys,
    settings: Settings,
    line: SearchLine,
}

/// The keys of the positions since the last capture, the current one last, and the no-capture clock.
type RecentKeys = (Vec<u64>, NoCaptureClock);

fn recent_keys(game: &Game) -> RecentKeys {
    let earlier = game.plies_since_capture().iter().map(|ply| ply.undo.key());
    (earlier.chain([game.position().key()]).collect(), game.position().clock())
}

impl AnnouncedMate {
    /// The mate of the best line of a search. `None` if its score is not an exact mate, or if the line has no third
    /// move. The lines of MTD(f) are not used, because their moves may come from searches with different windows.
    pub fn new(request: &SearchRequest, line: &SearchLine) -> Option<Self> {
        let Meaning::Mates(plies) = line.score.meaning() else { return None };
        if line.bound != Bound::Exact || request.settings.techniques.driver == Driver::Mtd {
            return None;
        }
        let (played, rest) = line.pv.split_at_checked(2).filter(|(_, rest)| !rest.is_empty())?;
        let mut game = request.game.clone();
        for m in played {
            game.push(*m).ok()?;
        }
        let score = Score::mate_in(plies as usize - 2);
        let line = SearchLine { score, depth: plies - 2, pv: rest.to_vec(), ..line.clone() };
        Some(Self { position: recent_keys(&game), settings: request.settings, line })
    }

    /// The line, if the game of the request ends in the position in which the line begins, and the request allows its
    /// first move and asks for one line. A request for a mate is not answered with it, because the mate may be too
    /// long.
    pub fn line_for(self, request: &SearchRequest) -> Option<SearchLine> {
        let is_allowed =
            request.root_moves.as_ref().is_none_or(|moves| moves.contains(&self.line.pv[0]));
        let is_valid = is_allowed
            && request.settings.multipv == 1
            && request.limits.mate.is_none()
            && request.settings.scores_like(&self.settings)
            && recent_keys(&request.game) == self.position;
        is_valid.then_some(self.line)
    }
}
