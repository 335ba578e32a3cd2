//! The values of all options.

use std::time::Duration;

use crate::protocol::strength::{self, MAX_SKILL, elo_of_skill};
use crate::protocol::text::{Ranks, TimeUnit};
use crate::search::{Randomness, Settings, Style};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preferences {
    /// Whether the times of a `go` line are in milliseconds, not seconds.
    pub milliseconds: bool,
    /// Whether the input is a piped file: during a search that ends by itself no further line is read, and a queued
    /// `go` or handshake does not stop an endless search.
    pub batch: bool,
    /// Whether to send additional reports.
    pub debug: bool,
    /// Whether to play the promotion variant.
    pub promotion: bool,
    /// Whether to resign hopeless games; `None` for the default of the protocol.
    pub resign: Option<bool>,
    /// Whether to offer draws in level games.
    pub draw: bool,
    /// Whether to play from the opening books; `None` for the default of the protocol.
    pub use_book: Option<bool>,
    /// The files of the opening books, separated by `;`, empty for none; `None` for the default of the protocol.
    /// [`BUILTIN`](crate::book::BUILTIN) names the embedded book.
    pub books: Option<String>,
    /// The file of the network, empty for the embedded one.
    pub network: String,
    /// Size of the hash table in MB, 0 for automatic.
    pub hash_size: usize,
    /// Search threads, 0 for automatic.
    pub threads: usize,
    /// The time that is lost between the engine and the clock with each move.
    pub move_overhead: Duration,
    /// Whether to report the probabilities of a win, a draw and a loss with each line.
    pub show_wdl: bool,
    /// Whether to play no stronger than [`Self::elo`].
    pub limit_strength: bool,
    /// The strength to play at, in Elo.
    pub elo: u32,
    /// The skill level to play at if [`Self::limit_strength`] is off; [`MAX_SKILL`] is full strength.
    pub skill: u32,
    /// How random the moves are, as set by the client; see [`Self::randomness()`].
    pub randomness: Randomness,
    pub use_tables: bool,
    /// The directories of endgame tablebases, separated by `;`, in addition to the embedded ones.
    pub table_paths: String,
    /// The address of the cloud library, empty for none.
    #[cfg(feature = "cloud")]
    pub cloud: String,
    /// Whether the client has set `UCI_Variant`; [`Self::ranks`] uses it and the next two.
    pub has_set_variant: bool,
    pub has_set_about: bool,
    pub has_set_chess960: bool,
    /// How the client counts ranks, if it has shown that.
    pub shown_ranks: Option<Ranks>,
    /// Whether the client analyzes: full strength, no randomness, normal style.
    pub analyse_mode: bool,
    /// The rating of the opponent in Elo; `None` if unknown.
    pub opponent_elo: Option<u32>,
    /// The settings of the search; [`Self::settings`] combines them with the other options.
    pub search: Settings,
}

/// The rating difference, in Elo, from which the normal style becomes the solid one against a stronger opponent, and
/// the risky one against a weaker opponent.
const CLEARLY_STRONGER: u32 = 200;

/// Parses `[GM|IM|FM|WGM|WIM|none] [ELO|none] [computer|human] NAME`, the value of `UCI_Opponent`, or an empty text.
/// Returns the rating of the opponent: `Some(None)` if it is unknown, `None` if the text is invalid.
pub fn parse_opponent(text: &str) -> Option<Option<u32>> {
    if text.is_empty() {
        return Some(None);
    }
    let mut words = text.split_whitespace();
    let (title, elo, kind) = (words.next()?, words.next()?, words.next()?);
    let is = |word: &str, known: &[&str]| known.iter().any(|k| k.eq_ignore_ascii_case(word));
    let is_title = is(title, &["GM", "IM", "FM", "WGM", "WIM", "none"]);
    if !is_title || !is(kind, &["computer", "human"]) {
        return None;
    }
    if is(elo, &["none"]) {
        return Some(None);
    }
    elo.parse().ok().map(Some)
}

impl Preferences {
    pub fn time_unit(&self) -> TimeUnit {
        if self.milliseconds { TimeUnit::Milliseconds } else { TimeUnit::Seconds }
    }

    /// How UCI moves number the ranks. Programs for many variants set `UCI_Variant` and count ranks from 1, as
    /// Fairy-Stockfish does. Other programs only send all listed options back, even `UCI_EngineAbout`, which has
    /// no effect. `UCI_Chess960` is not listed, so a program that sets it supports many variants.
    pub fn ranks(&self) -> Ranks {
        let is_for_variants =
            self.has_set_variant && (!self.has_set_about || self.has_set_chess960);
        let assumed = if is_for_variants { Ranks::FromOne } else { Ranks::FromZero };
        self.shown_ranks.unwrap_or(assumed)
    }

    /// Sets `shown_ranks` to ranks from 0 if `is_shown`; otherwise leaves it as it is.
    pub fn note_ranks_from_zero(&mut self, is_shown: bool) {
        if is_shown {
            self.shown_ranks = Some(Ranks::FromZero);
        }
    }

    /// How random the moves are: not at all in analysis mode, and at least [`Randomness::Small`] below full strength.
    pub fn randomness(&self) -> Randomness {
        if self.analyse_mode {
            Randomness::None
        } else if self.strength().is_some() {
            self.randomness.max(Randomness::Small)
        } else {
            self.randomness
        }
    }

    /// The settings of the search, adapted to analysis mode, the level and the rating of the opponent.
    pub fn settings(&self) -> Settings {
        let mut settings = self.search;
        let level_noise = self.strength().map_or(0, strength::root_noise);
        settings.root_noise = self.randomness().root_noise().max(level_noise);
        if self.analyse_mode {
            settings.style = Style::Normal;
        } else if settings.style == Style::Normal {
            let own = self.strength().unwrap_or(strength::MAX_ELO);
            settings.style = match self.opponent_elo {
                Some(elo) if elo >= own.saturating_add(CLEARLY_STRONGER) => Style::Solid,
                Some(elo) if elo.saturating_add(CLEARLY_STRONGER) <= own => Style::Risky,
                _ => Style::Normal,
            };
        }
        settings
    }

    /// The level to play at, in Elo; `None` for full strength.
    pub fn strength(&self) -> Option<u32> {
        if self.analyse_mode {
            None
        } else if self.limit_strength {
            Some(self.elo)
        } else {
            (self.skill < MAX_SKILL).then(|| elo_of_skill(self.skill))
        }
    }
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            milliseconds: true,
            batch: false,
            debug: false,
            promotion: false,
            resign: None,
            draw: false,
            use_book: None,
            books: None,
            network: String::new(),
            hash_size: 0,
            threads: 1,
            move_overhead: Duration::ZERO,
            show_wdl: false,
            limit_strength: false,
            elo: strength::DEFAULT_ELO,
            skill: MAX_SKILL,
            randomness: Randomness::None,
            use_tables: true,
            table_paths: String::new(),
            #[cfg(feature = "cloud")]
            cloud: String::new(),
            has_set_variant: false,
            has_set_about: false,
            has_set_chess960: false,
            shown_ranks: None,
            analyse_mode: false,
            opponent_elo: None,
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
            assert_eq!(parse_opponent(text), Some(elo), "{text}");
        }
        for bad in ["GM", "GM 2800", "Kasparow 2800 human", "GM many human", "GM 1 cat x"] {
            assert_eq!(parse_opponent(bad), None, "{bad}");
        }
    }

    #[test]
    fn opponent_rating_selects_the_style() {
        let style = |elo, chosen| {
            let mut preferences = Preferences { opponent_elo: elo, ..Preferences::default() };
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
    fn skill_levels_are_levels_in_elo() {
        let mut preferences = Preferences::default();
        assert_eq!(preferences.strength(), None);
        preferences.skill = 0;
        assert_eq!(preferences.strength(), Some(strength::MIN_ELO));
        preferences.limit_strength = true;
        assert_eq!(preferences.strength(), Some(preferences.elo));
    }

    #[test]
    fn analysis_plays_at_full_strength() {
        let mut preferences = Preferences { limit_strength: true, ..Preferences::default() };
        preferences.randomness = Randomness::Huge;
        preferences.search.pruning = Degree::Small;
        assert_eq!(preferences.strength(), Some(preferences.elo));
        assert!(preferences.settings().root_noise > 0);
        preferences.analyse_mode = true;
        assert_eq!(preferences.strength(), None);
        let settings = preferences.settings();
        assert_eq!(settings.root_noise, 0);
        assert_eq!(settings.pruning, Degree::Small);
    }
}
