//! Who plays whom, and when.

use std::str::FromStr;

use crate::board::Color;

/// Who plays whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Everybody plays everybody.
    RoundRobin,
    /// The first plays all others.
    Gauntlet,
}

impl FromStr for Format {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "round-robin" => Ok(Self::RoundRobin),
            "gauntlet" => Ok(Self::Gauntlet),
            _ => Err("not a format (round-robin, gauntlet)"),
        }
    }
}

impl Format {
    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RoundRobin => "round-robin",
            Self::Gauntlet => "gauntlet",
        }
    }
}

/// All games of a tournament. In each round each pairing plays one opening twice, with either
/// colours; games are numbered in that order, from 0.
#[derive(Clone, Debug)]
pub struct Schedule {
    pairings: Vec<[usize; 2]>,
    rounds: u64,
}

/// One game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Its number.
    pub number: u64,
    /// Its round, from 0.
    pub round: u64,
    /// The engines, by colour index.
    pub players: [usize; Color::COUNT],
}

impl Schedule {
    /// The games of so many engines.
    pub fn new(format: Format, engines: usize, rounds: u64) -> Self {
        let firsts = match format {
            Format::RoundRobin => engines,
            Format::Gauntlet => 1,
        };
        let pairings = (0..firsts).flat_map(|a| (a + 1..engines).map(move |b| [a, b]));
        Self {
            pairings: pairings.collect(),
            rounds,
        }
    }

    /// How many games there are.
    pub fn games(&self) -> u64 {
        (self.pairings.len() as u64)
            .saturating_mul(2)
            .saturating_mul(self.rounds)
    }

    /// A game by its number, if there is one.
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
            players: match number % 2 {
                0 => [first, second],
                _ => [second, first],
            },
        })
    }

    /// Who plays whom, in the order of a round.
    pub fn pairings(&self) -> &[[usize; 2]] {
        &self.pairings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_plays_everybody_with_both_colours() {
        let schedule = Schedule::new(Format::RoundRobin, 3, 2);
        let all: Vec<_> = (0..).map_while(|n| schedule.fixture(n)).collect();
        assert_eq!(all.len() as u64, schedule.games());
        let players: Vec<_> = all.iter().map(|f| (f.round, f.players)).collect();
        let round = |n| [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]].map(|p| (n, p));
        assert_eq!(players, [round(0), round(1)].concat());
    }

    #[test]
    fn the_first_runs_the_gauntlet() {
        let schedule = Schedule::new(Format::Gauntlet, 3, 1);
        let players: Vec<_> = (0..)
            .map_while(|n| schedule.fixture(n))
            .map(|f| f.players)
            .collect();
        assert_eq!(players, [[0, 1], [1, 0], [0, 2], [2, 0]]);
        let endless = Schedule::new(Format::Gauntlet, 3, u64::MAX);
        assert!(endless.fixture(u64::MAX - 1).is_some());
        for format in [Format::RoundRobin, Format::Gauntlet] {
            assert_eq!(format.name().parse(), Ok(format));
        }
    }
}
