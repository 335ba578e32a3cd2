//! Factors: several changes of an engine whose effects are measured in one match.
//!
//! Each factor is a set of options, each with two values. In every pair of games one engine plays with the first
//! values of a factor and the other with the second ones. The engine with the first values is chosen at random for
//! each factor. Every game then counts for every factor. Therefore a match measures the effects of all factors about
//! as precisely as a match of the same length about one factor (Fisher, "The Design of Experiments", 1935). The
//! effects are estimated by least squares.

use std::collections::HashSet;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use super::elo::{Interval, Z_95, invert};
use crate::text::{is_allowed_character, printable};
use crate::tournament::settings::{SettingError, require_valid};
use crate::tournament::spec::{OptionValue, check_option, in_file_order};

/// Elo per point of score between equal engines: the reciprocal of the slope of the logistic curve at a score of one
/// half.
const ELO_PER_POINT: f64 = 1600.0 / std::f64::consts::LN_10;

/// The random numbers of a pair of games. The multiplication moves the seeds far apart. Without it, seed 1 would give
/// the numbers of seed 0, moved by one pair.
pub fn random_of_pair(seed: u64, pair: u64) -> StdRng {
    StdRng::seed_from_u64(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(pair))
}

/// The factors of a match of two engines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Factors {
    seed: u64,
    factors: Vec<Factor>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Factor {
    name: String,
    options: Vec<(String, [String; 2])>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FactorFile {
    #[serde(default)]
    seed: u64,
    factor: Vec<FactorEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FactorEntry {
    name: String,
    #[serde(deserialize_with = "in_file_order")]
    options: Vec<(String, Vec<OptionValue>)>,
}

impl Factors {
    /// Parses a TOML file: tables `[[factor]]`, each with a `name` and a table `options` that has two values for each
    /// option, and optionally a `seed` of the file.
    ///
    /// # Errors
    /// The text is not such a file, has no factor, a factor without options, a name that is empty or has control
    /// characters or noncharacters, a name or an option twice, an option without two different values, or one with
    /// control characters or noncharacters.
    pub fn read_toml(text: &str) -> Result<Self, SettingError> {
        let file: FactorFile = toml::from_str(text)?;
        require_valid(!file.factor.is_empty(), "no factor: add a table [[factor]]")?;
        let mut names = HashSet::new();
        let mut option_names = HashSet::new();
        let mut factors = Vec::new();
        for FactorEntry { name, options } in file.factor {
            let is_new = names.insert(name.clone());
            require_valid(
                is_new && !name.is_empty() && name.chars().all(is_allowed_character),
                format!(
                    "the name \"{}\" of a factor is empty, used twice, or has control characters or \
                     noncharacters",
                    printable(&name)
                ),
            )?;
            require_valid(!options.is_empty(), format!("factor {name} sets no option"))?;
            for (option, _) in &options {
                let is_new = option_names.insert(option.to_ascii_lowercase());
                require_valid(is_new, format!("option {option} is set twice"))?;
            }
            let options = options.into_iter().map(|(option, values)| {
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                check_option(&option, &values)?;
                match <[String; 2]>::try_from(values) {
                    Ok(values) if values[0] != values[1] => Ok((option, values)),
                    _ => Err(SettingError::new(format!(
                        "option {option} needs two different values: the old and the new one"
                    ))),
                }
            });
            let options = options.collect::<Result<Vec<_>, _>>()?;
            factors.push(Factor { name, options });
        }
        Ok(Self { seed: file.seed, factors })
    }

    pub fn count(&self) -> usize {
        self.factors.len()
    }

    /// Each option of the factors with its first and with its second value.
    pub fn values(&self) -> impl Iterator<Item = (&str, &str)> {
        let options = self.factors.iter().flat_map(|factor| &factor.options);
        options
            .flat_map(|(name, values)| values.iter().map(|value| (name.as_str(), value.as_str())))
    }

    /// For each factor, whether an engine (0 or 1) plays a pair of games with the second values.
    fn levels(&self, pair: u64, engine: usize) -> Vec<bool> {
        let mut random = random_of_pair(self.seed, pair);
        let mut level = || random.random::<bool>() ^ (engine == 1);
        self.factors.iter().map(|_| level()).collect()
    }

    /// The options of an engine (0 or 1) in a pair of games.
    pub fn options(&self, pair: u64, engine: usize) -> Vec<(String, String)> {
        let levels = self.levels(pair, engine);
        let factors = self.factors.iter().zip(levels);
        factors
            .flat_map(|(factor, level)| {
                let value = move |values: &[String; 2]| values[usize::from(level)].clone();
                let options = factor.options.iter();
                options.map(move |(name, values)| (name.clone(), value(values)))
            })
            .collect()
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effect {
    pub name: String,
    /// The gain of the second values over the first ones, in Elo.
    pub elo: Interval,
}

/// The results of a match with factors, stored as the sums of a least-squares fit. The row of a game has the level of
/// the first engine for each factor, +1 with the second values and -1 with the first, and the score of this engine
/// minus one half. The two games of a pair count as independent.
#[derive(Clone, Debug)]
pub struct FactorRun {
    factors: Factors,
    /// For every two factors, the sum of the products of their levels.
    information: Vec<Vec<f64>>,
    /// For each factor, the sum of the products of its level and the score minus one half.
    products: Vec<f64>,
    /// The sum of the squares of the score minus one half.
    squares: f64,
    games: u64,
}

impl FactorRun {
    pub fn new(factors: Factors) -> Self {
        let count = factors.count();
        Self {
            factors,
            information: vec![vec![0.0; count]; count],
            products: vec![0.0; count],
            squares: 0.0,
            games: 0,
        }
    }

    /// Adds a game of a pair, in which the first engine scored `half_points`, 0 to 2.
    pub fn add(&mut self, pair: u64, half_points: usize) {
        let levels = self.factors.levels(pair, 0).into_iter();
        let signs: Vec<f64> = levels.map(|second| if second { 1.0 } else { -1.0 }).collect();
        let score = half_points as f64 / 2.0 - 0.5;
        for (factor, a) in signs.iter().enumerate() {
            for (sum, b) in self.information[factor].iter_mut().zip(&signs) {
                *sum += a * b;
            }
            self.products[factor] += a * score;
        }
        self.squares += score * score;
        self.games += 1;
    }

    /// The effects, the largest first; empty while there are too few games to separate the factors.
    pub fn effects(&self) -> Vec<Effect> {
        let count = self.factors.count();
        let Some(inverse) = invert(self.information.clone()) else {
            return Vec::new();
        };
        if self.games <= count as u64 {
            return Vec::new();
        }
        let dot = |a: &[f64]| -> f64 { a.iter().zip(&self.products).map(|(x, y)| x * y).sum() };
        let estimates: Vec<f64> = inverse.iter().map(|row| dot(row)).collect();
        let residual = (self.squares - dot(&estimates)).max(0.0);
        // Half a loss, half a draw and half a win are added, so that the variance of equal results is not zero.
        let variance = (residual + 0.25) / (self.games as f64 - count as f64 + 1.5);
        let mut effects = Vec::new();
        for (index, factor) in self.factors.factors.iter().enumerate() {
            let half = Z_95 * (variance * inverse[index][index]).sqrt();
            effects.push(Effect {
                name: factor.name.clone(),
                elo: Interval {
                    value: ELO_PER_POINT * estimates[index],
                    low: ELO_PER_POINT * (estimates[index] - half),
                    high: ELO_PER_POINT * (estimates[index] + half),
                },
            });
        }
        effects.sort_by(|a, b| b.elo.value.total_cmp(&a.elo.value));
        effects
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;
    use crate::tournament::stats::elo::score_of;

    const FILE: &str = "seed = 7\n\
        [[factor]]\nname = \"window\"\noptions = { aspiration_window = [25, 15] }\n\
        [[factor]]\nname = \"null move\"\noptions = { null_move_base = [4, 5], null_move_depth = [3, 2] }\n\
        [[factor]]\nname = \"style\"\noptions = { style = [\"normal\", \"risky\"] }\n";

    #[test]
    fn one_engine_has_the_first_values_and_the_other_the_second_ones() {
        let factors = Factors::read_toml(FILE).unwrap();
        let mut seen = HashSet::new();
        for pair in 0..64 {
            let [a, b] = [0, 1].map(|engine| factors.options(pair, engine));
            assert_eq!(a.len(), 4);
            for (x, y) in a.iter().zip(&b) {
                assert!(x.0 == y.0 && x.1 != y.1, "{x:?} {y:?}");
            }
            assert_eq!(a[1].1 == "4", a[2].1 == "3", "options of one factor");
            assert_eq!(factors.options(pair, 0), a, "the same in every run");
            seen.insert(a);
        }
        assert_eq!(seen.len(), 8, "all combinations");
    }

    #[test]
    fn seeds_do_not_shift_the_choices() {
        let choices = |seed: &str, first: u64| -> Vec<Vec<bool>> {
            let factors = Factors::read_toml(&FILE.replacen('7', seed, 1)).unwrap();
            (first..first + 32).map(|pair| factors.levels(pair, 0)).collect()
        };
        assert_ne!(choices("0", 1), choices("1", 0));
    }

    #[test]
    fn effects_are_recovered_from_results() {
        let factors = Factors::read_toml(FILE).unwrap();
        let mut run = FactorRun::new(factors.clone());
        assert_eq!(run.effects(), []);
        // Options worth +60, 0 and -40 Elo.
        let worth = [60.0, 0.0, -40.0];
        let mut random = StdRng::seed_from_u64(1);
        for pair in 0..20_000 {
            let levels = factors.levels(pair, 0);
            let signed = levels.iter().zip(worth);
            let elo: f64 = signed.map(|(second, elo)| if *second { elo } else { -elo }).sum();
            for _ in 0..2 {
                let wins = random.random::<f64>() < score_of(elo);
                run.add(pair, if wins { 2 } else { 0 });
            }
        }
        let effects = run.effects();
        let names: Vec<&str> = effects.iter().map(|effect| effect.name.as_str()).collect();
        assert_eq!(names, ["window", "null move", "style"]);
        for (effect, elo) in effects.iter().zip(worth) {
            let Interval { value, low, high } = effect.elo;
            assert!((value - elo).abs() < 8.0, "{effect:?}");
            assert!(low < value && value < high && high - low < 16.0, "{effect:?}");
        }
    }

    #[test]
    fn equal_results_are_uncertain() {
        let mut run = FactorRun::new(Factors::read_toml(FILE).unwrap());
        for pair in 0..24 {
            run.add(pair, 1);
        }
        for Effect { elo, .. } in run.effects() {
            assert!(elo.value == 0.0 && elo.low < -5.0 && elo.high > 5.0, "{elo:?}");
        }
    }

    #[test]
    fn files_that_cannot_be_used_are_refused() {
        let error = |text: &str| Factors::read_toml(text).unwrap_err().to_string();
        let factor = |name: &str, options: &str| {
            format!("[[factor]]\nname = \"{name}\"\noptions = {{ {options} }}\n")
        };
        assert!(error("").contains("missing field `factor`"));
        assert!(error("factor = []").contains("no factor"));
        assert!(error(&factor("a", "")).contains("factor a sets no option"));
        assert!(error(&factor("", "x = [1, 2]")).contains("name"));
        assert!(error(&(factor("a", "x = [1, 2]") + &factor("a", "y = [1, 2]"))).contains("name"));
        assert!(error(&(factor("a", "x = [1, 2]") + &factor("b", "X = [1, 2]"))).contains("X"));
        assert!(error(&factor("a", "x = [1, 2], X = [1, 2]")).contains("X is set twice"));
        for option in [r#"books = ["a\nquit", "b"]"#, r#""books\nquit" = [1, 2]"#] {
            let text = error(&factor("a", option));
            assert!(text.starts_with("the name or value of option books"), "{text}");
        }
        for values in ["[1]", "[1, 2, 3]", "[1, 1]"] {
            let why = "option x needs two different values";
            assert!(error(&factor("a", &format!("x = {values}"))).contains(why), "{values}");
        }
    }
}
