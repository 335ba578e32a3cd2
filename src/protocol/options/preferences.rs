//! The values of all options.

use std::time::Duration;

use super::super::strength;
use super::super::text::TimeUnit;
use crate::search::{Randomness, Settings, Style};

/// The values of all options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::protocol) struct Preferences {
    /// The times of a `go` line are in milliseconds, not seconds.
    pub milliseconds: bool,
    /// Lines that arrive while thinking wait their turn.
    pub batch: bool,
    /// Send additional reports.
    pub debug: bool,
    /// Play the promotion variant.
    pub promotion: bool,
    /// Resign hopeless games.
    pub resign: bool,
    /// Offer draws in level games.
    pub draw: bool,
    /// Play from the opening books.
    pub use_book: bool,
    /// Size of the hash table in MB, 0 for automatic.
    pub hash_size: usize,
    /// Search threads, 0 for automatic.
    pub threads: usize,
    /// The time of each move that is lost between the engine and the clock.
    pub move_overhead: Duration,
    /// Report the chances to win, draw and lose with each line.
    pub show_wdl: bool,
    /// Play no stronger than [`Self::elo`].
    pub limit_strength: bool,
    /// The strength to play at, in Elo.
    pub elo: u32,
    /// Look positions up in endgame tables.
    pub use_tables: bool,
    /// The client analyses: no weakening, no randomness, no style.
    pub analyse_mode: bool,
    /// The opponent, as far as it is known.
    pub opponent: Opponent,
    /// The settings of the search, before the other options bear on them.
    pub search: Settings,
}

/// The opponent of this game.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(in crate::protocol) struct Opponent {
    /// The rating, in Elo.
    pub elo: Option<u32>,
}

/// Against an opponent whose rating is this much higher a draw is a success, and against one that
/// is this much weaker it is a failure.
const CLEARLY_STRONGER: u32 = 200;

impl Opponent {
    /// Parses `[GM|IM|FM|WGM|WIM|none] [ELO|none] [computer|human] NAME`, the value of UCI_Opponent;
    /// an empty text for an unknown opponent.
    pub(in crate::protocol) fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self::default());
        }
        let mut words = text.split_whitespace();
        let (title, elo, kind) = (words.next()?, words.next()?, words.next()?);
        let is = |word: &str, known: &[&str]| known.iter().any(|k| k.eq_ignore_ascii_case(word));
        let is_title = is(title, &["GM", "IM", "FM", "WGM", "WIM", "none"]);
        if !is_title || !is(kind, &["computer", "human"]) {
            return None;
        }
        let elo = match is(elo, &["none"]) {
            true => None,
            false => Some(elo.parse().ok()?),
        };
        Some(Self { elo })
    }
}

impl Preferences {
    /// The unit of the times in a `go` line.
    pub(in crate::protocol) fn time_unit(&self) -> TimeUnit {
        match self.milliseconds {
            true => TimeUnit::Milliseconds,
            false => TimeUnit::Seconds,
        }
    }

    /// The settings of the search with everything that bears on them.
    pub(in crate::protocol) fn settings(&self) -> Settings {
        let mut settings = self.search;
        if self.analyse_mode {
            settings.style = Style::Normal;
            settings.randomness = Randomness::None;
        } else if settings.style == Style::Normal {
            let own = if self.limit_strength {
                self.elo
            } else {
                strength::MAX_ELO
            };
            settings.style = match self.opponent.elo {
                Some(elo) if elo >= own.saturating_add(CLEARLY_STRONGER) => Style::Solid,
                Some(elo) if elo.saturating_add(CLEARLY_STRONGER) <= own => Style::Risky,
                _ => Style::Normal,
            };
        }
        settings
    }

    /// The strength to play at; `None` for the full one.
    pub(in crate::protocol) fn strength(&self) -> Option<u32> {
        (self.limit_strength && !self.analyse_mode).then_some(self.elo)
    }
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            milliseconds: true,
            batch: false,
            debug: false,
            promotion: false,
            resign: false,
            draw: false,
            use_book: true,
            hash_size: 0,
            threads: 1,
            move_overhead: Duration::ZERO,
            show_wdl: false,
            limit_strength: false,
            elo: strength::DEFAULT_ELO,
            use_tables: true,
            analyse_mode: false,
            opponent: Opponent::default(),
            search: Settings::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Degree;

    #[test]
    fn opponents_are_parsed() {
        for (text, elo) in [
            ("GM 2800 human Gary Kasparow", Some(2800)),
            ("none none computer Shredder", None),
            ("", None),
        ] {
            assert_eq!(Opponent::parse(text), Some(Opponent { elo }), "{text}");
        }
        for bad in [
            "GM",
            "GM 2800",
            "Kasparow 2800 human",
            "GM many human",
            "GM 1 cat x",
        ] {
            assert_eq!(Opponent::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_draw_is_worth_more_against_a_stronger_opponent() {
        let style = |elo, chosen| {
            let mut preferences = Preferences::default();
            preferences.opponent.elo = elo;
            preferences.search.style = chosen;
            preferences.settings().style
        };
        let own = strength::MAX_ELO;
        assert_eq!(style(None, Style::Normal), Style::Normal);
        assert_eq!(style(Some(own), Style::Normal), Style::Normal);
        assert_eq!(style(Some(own + 300), Style::Normal), Style::Solid);
        assert_eq!(style(Some(own - 300), Style::Normal), Style::Risky);
        assert_eq!(style(Some(own - 300), Style::Solid), Style::Solid);
    }

    #[test]
    fn analysis_is_not_weakened() {
        let mut preferences = Preferences {
            limit_strength: true,
            ..Preferences::default()
        };
        preferences.search.randomness = Randomness::Huge;
        preferences.search.pruning = Degree::Small;
        assert_eq!(preferences.strength(), Some(preferences.elo));
        preferences.analyse_mode = true;
        assert_eq!(preferences.strength(), None);
        let settings = preferences.settings();
        assert_eq!(settings.randomness, Randomness::None);
        assert_eq!(settings.pruning, Degree::Small);
    }
}
