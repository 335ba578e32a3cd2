//! The schedule: pairings, colors and the order of games.

use crate::board::{ByColor, named_enum};

named_enum! {
    #[derive(Default)]
    /// The format of a tournament.
    pub enum TournamentFormat {
        /// Every engine plays every other engine.
        #[default]
        RoundRobin = "round-robin",
        /// The seeds (by default the first engine) play all others.
        Gauntlet = "gauntlet",
    }
}

named_enum! {
    #[derive(Default)]
    /// The colors of a pairing in the two games of an opening.
    pub enum ColorOrder {
        /// The first engine plays red in the first game and black in the second.
        #[default]
        Alternate = "alternate",
        /// The first engine plays black in the first game and red in the second.
        Reverse = "reverse",
        /// The first engine plays red in both games.
        FirstRed = "first-red",
        /// The first engine plays black in both games.
        FirstBlack = "first-black",
    }
}

impl ColorOrder {
    /// The order for `--noswap` (`is_fixed`) and `--reverse`.
    pub const fn new(is_fixed: bool, is_reversed: bool) -> Self {
        match (is_fixed, is_reversed) {
            (false, false) => Self::Alternate,
            (false, true) => Self::Reverse,
            (true, false) => Self::FirstRed,
            (true, true) => Self::FirstBlack,
        }
    }

    /// Whether the first engine of a pairing plays red in a game.
    const fn is_first_red(self, game: u64) -> bool {
        match self {
            Self::Alternate => game.is_multiple_of(2),
            Self::Reverse => !game.is_multiple_of(2),
            Self::FirstRed => true,
            Self::FirstBlack => false,
        }
    }
}

/// All games of a tournament. In each round every pairing plays one opening twice; games are numbered in
/// this order from 0.
#[derive(Clone, Debug)]
pub struct Schedule {
    pairings: Vec<[usize; 2]>,
    rounds: u64,
    colors: ColorOrder,
}

/// A scheduled game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Index of the game, from 0.
    pub number: u64,
    /// Round, from 0.
    pub round: u64,
    /// Indexes of the engines that play red and black.
    pub players: ByColor<usize>,
}

impl Schedule {
    /// The games of `engines` engines. In a gauntlet the first `seeds` engines play all others, but not each
    /// other.
    pub fn new(format: TournamentFormat, engines: usize, seeds: usize, rounds: u64) -> Self {
        let pairings = match format {
            TournamentFormat::RoundRobin => (0..engines)
                .flat_map(|a| (a + 1..engines).map(move |b| [a, b]))
                .collect(),
            TournamentFormat::Gauntlet => (0..seeds.min(engines))
                .flat_map(|a| (seeds..engines).map(move |b| [a, b]))
                .collect(),
        };
        Self {
            pairings,
            rounds,
            colors: ColorOrder::default(),
        }
    }

    /// The same games with other colors.
    #[must_use]
    pub fn with_colors(mut self, colors: ColorOrder) -> Self {
        self.colors = colors;
        self
    }

    /// Number of games.
    pub fn games(&self) -> u64 {
        (self.pairings.len() as u64)
            .saturating_mul(2)
            .saturating_mul(self.rounds)
    }

    /// The game with an index, if it exists.
    pub fn fixture(&self, number: u64) -> Option<Fixture> {
        if number >= self.games() {
            return None;
        }
        let count = self.pairings.len() as u64;
        let pair = number / 2;
        let [first, second] = self.pairings[(pair % count) as usize];
        Some(Fixture {
            number,
            round: pair / count,
            players: if self.colors.is_first_red(number) {
                ByColor::new(first, second)
            } else {
                ByColor::new(second, first)
            },
        })
    }

    /// The pairings in the order of a round.
    pub fn pairings(&self) -> &[[usize; 2]] {
        &self.pairings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_robin_pairs_all_engines_with_both_colors() {
        let schedule = Schedule::new(TournamentFormat::RoundRobin, 3, 1, 2);
        let all: Vec<_> = (0..).map_while(|n| schedule.fixture(n)).collect();
        assert_eq!(all.len() as u64, schedule.games());
        let players: Vec<_> = all.iter().map(|f| (f.round, f.players.0)).collect();
        let round = |n| [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]].map(|p| (n, p));
        assert_eq!(players, [round(0), round(1)].concat());
    }

    #[test]
    fn the_first_engine_plays_the_gauntlet() {
        let schedule = Schedule::new(TournamentFormat::Gauntlet, 3, 1, 1);
        let players: Vec<_> = (0..)
            .map_while(|n| schedule.fixture(n))
            .map(|f| f.players.0)
            .collect();
        assert_eq!(players, [[0, 1], [1, 0], [0, 2], [2, 0]]);
        let endless = Schedule::new(TournamentFormat::Gauntlet, 3, 1, u64::MAX);
        assert!(endless.fixture(u64::MAX - 1).is_some());
    }

    #[test]
    fn seeds_play_all_others_but_not_each_other() {
        let schedule = Schedule::new(TournamentFormat::Gauntlet, 4, 2, 1);
        assert_eq!(schedule.pairings(), [[0, 2], [0, 3], [1, 2], [1, 3]]);
        assert!(
            Schedule::new(TournamentFormat::Gauntlet, 2, 2, 1)
                .pairings()
                .is_empty()
        );
    }

    #[test]
    fn color_orders_assign_colors() {
        for (is_fixed, is_reversed, players) in [
            (false, false, [[0, 1], [1, 0]]),
            (false, true, [[1, 0], [0, 1]]),
            (true, false, [[0, 1], [0, 1]]),
            (true, true, [[1, 0], [1, 0]]),
        ] {
            let colors = ColorOrder::new(is_fixed, is_reversed);
            let schedule = Schedule::new(TournamentFormat::RoundRobin, 2, 1, 1).with_colors(colors);
            let actual = [0, 1].map(|n| schedule.fixture(n).unwrap().players.0);
            assert_eq!(actual, players, "{colors:?}");
        }
    }
}
