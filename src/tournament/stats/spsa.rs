//! SPSA: tunes numeric options of an engine by games against itself (simultaneous perturbation stochastic
//! approximation; J. C. Spall, "Implementation of the simultaneous perturbation algorithm for stochastic optimization",
//! 1998).
//!
//! In pair *k* of *N* pairs of games each parameter is raised by *c* for one engine, chosen at random, and lowered by
//! *c* for the other. After each game with a winner the parameter moves by *a* / *c* toward the value of the winner.
//! With the `step` and `rate` of the file and *A* = *N* / 10,
//!
//! ```text
//! c = step * (N / k)^0.101        a = rate * step^2 * ((A + N) / (A + k))^0.602
//! ```

use std::collections::HashSet;

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::factors::random_of_pair;
use crate::text::{is_allowed_character, printable};
use crate::tournament::settings::{SettingError, require_valid};

/// The tuned parameters of a match of two engines.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spsa {
    #[serde(default)]
    seed: u64,
    /// Number of pairs of games for which the steps are planned.
    pairs: u64,
    #[serde(default = "default_rate")]
    rate: f64,
    parameter: Vec<Parameter>,
}

const MAX_PAIRS: u64 = 10_000_000;

fn default_rate() -> f64 {
    0.002
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameter {
    name: String,
    value: i32,
    min: i32,
    max: i32,
    /// The perturbation of the value in the last pair of games.
    step: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TunedValue {
    pub name: String,
    pub start: i32,
    pub value: f64,
}

impl Spsa {
    /// Parses a TOML file: `pairs`, optionally `rate` and `seed`, and `[[parameter]]` tables with the `name` of an
    /// option, its `value`, `min`, `max` and `step`.
    ///
    /// # Errors
    /// The text is not such a file or has no parameter; a name is empty, used twice (ignoring case), or has control
    /// characters or noncharacters; or a number is out of range.
    pub fn read_toml(text: &str) -> Result<Self, SettingError> {
        let spsa: Self = toml::from_str(text)?;
        let mut names = HashSet::new();
        let has_parameters = !spsa.parameter.is_empty();
        require_valid(has_parameters, "no parameter: add a table [[parameter]]")?;
        let is_rate = spsa.rate > 0.0 && spsa.rate <= 1.0;
        require_valid(
            (1..=MAX_PAIRS).contains(&spsa.pairs) && is_rate,
            format!("`pairs` must be 1 to {MAX_PAIRS}, and `rate` above 0 and at most 1"),
        )?;
        for Parameter { name, value, min, max, step } in &spsa.parameter {
            let is_new = names.insert(name.to_ascii_lowercase());
            require_valid(
                is_new && !name.is_empty() && name.chars().all(is_allowed_character),
                format!(
                    "the name \"{}\" of a parameter is empty, used twice, or has control characters or \
                     noncharacters",
                    printable(name)
                ),
            )?;
            let range = f64::from(*max) - f64::from(*min);
            require_valid(
                (min..=max).contains(&value) && (1.0..=range).contains(step),
                format!(
                    "parameter {name}: `value` must be from `min` to `max`, and `step` from 1 to `max` - `min`"
                ),
            )?;
        }
        Ok(spsa)
    }

    pub fn count(&self) -> usize {
        self.parameter.len()
    }

    pub fn pairs(&self) -> u64 {
        self.pairs
    }

    /// Each option twice: with its smallest and with its largest value.
    pub fn bounds(&self) -> impl Iterator<Item = (&str, String)> {
        let parameters = self.parameter.iter();
        parameters.flat_map(|p| [p.min, p.max].map(|bound| (p.name.as_str(), bound.to_string())))
    }

    /// For each parameter, how far the value of the first engine in a pair of games is above the tuned value.
    /// Negative if below.
    fn steps(&self, pair: u64) -> Vec<f64> {
        let Self { seed, pairs, parameter, .. } = self;
        let mut random = random_of_pair(*seed, pair);
        let growth = (*pairs as f64 / (pair + 1) as f64).powf(0.101);
        let mut sign = || if random.random() { growth } else { -growth };
        parameter.iter().map(|parameter| sign() * parameter.step).collect()
    }
}

/// The parameters, and the total change of each by the games so far.
#[derive(Clone, Debug)]
pub struct SpsaRun {
    spsa: Spsa,
    changes: Vec<f64>,
}

impl SpsaRun {
    pub fn new(spsa: Spsa) -> Self {
        Self { changes: vec![0.0; spsa.count()], spsa }
    }

    /// The options of both engines in a game of a pair that starts now.
    pub fn options(&self, pair: u64) -> [Vec<(String, String)>; 2] {
        let steps = self.spsa.steps(pair);
        [1.0, -1.0].map(|sign| {
            let moved = steps.iter().zip(&self.changes);
            let parameters = self.spsa.parameter.iter().zip(moved);
            parameters
                .map(|(parameter, (step, change))| {
                    let value = parameter.at(change + sign * step).round() as i32;
                    (parameter.name.clone(), value.to_string())
                })
                .collect()
        })
    }

    /// Adds a game of a pair, in which the first engine scored `half_points`, 0 to 2.
    pub fn add(&mut self, pair: u64, half_points: usize) {
        let Spsa { pairs, rate, parameter, .. } = &self.spsa;
        let (planned, number) = (*pairs as f64, (pair + 1) as f64);
        let stability = planned / 10.0;
        let decay = ((stability + planned) / (stability + number)).powf(0.602);
        let result = half_points as f64 - 1.0;
        let steps = self.spsa.steps(pair);
        for ((change, step), parameter) in self.changes.iter_mut().zip(steps).zip(parameter) {
            *change += rate * parameter.step.powi(2) * decay / step * result;
            // The value is clamped after each game, so that it leaves a bound at the next result that moves it away.
            *change = parameter.at(*change) - f64::from(parameter.value);
        }
    }

    pub fn values(&self) -> Vec<TunedValue> {
        let values = self.spsa.parameter.iter().zip(&self.changes);
        values
            .map(|(parameter, change)| TunedValue {
                name: parameter.name.clone(),
                start: parameter.value,
                value: parameter.at(*change),
            })
            .collect()
    }
}

impl Parameter {
    /// The start value plus `change`, clamped to the range.
    fn at(&self, change: f64) -> f64 {
        (f64::from(self.value) + change).clamp(self.min.into(), self.max.into())
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;
    use crate::tournament::stats::elo::score_of;

    const FILE: &str = "pairs = 20000\nseed = 3\n\
        [[parameter]]\nname = \"margin\"\nvalue = 100\nmin = 0\nmax = 500\nstep = 20\n\
        [[parameter]]\nname = \"depth\"\nvalue = 4\nmin = 1\nmax = 8\nstep = 1\n";

    fn run() -> SpsaRun {
        SpsaRun::new(Spsa::read_toml(FILE).unwrap())
    }

    #[test]
    fn values_move_to_the_optimum() {
        let mut spsa = run();
        // The best values are 160 and 4. A margin that is off by 50 or a depth that is off by 2 costs 50 Elo.
        let elo = |options: &[(String, String)]| -> f64 {
            let loss = |index: usize, best: f64, width: f64| {
                let value: f64 = options[index].1.parse().unwrap();
                -50.0 * ((value - best) / width).powi(2)
            };
            loss(0, 160.0, 50.0) + loss(1, 4.0, 2.0)
        };
        let mut random = StdRng::seed_from_u64(1);
        for pair in 0..spsa.spsa.pairs() {
            let [first, second] = spsa.options(pair).map(|options| elo(&options));
            for _ in 0..2 {
                let wins = random.random::<f64>() < score_of(first - second);
                spsa.add(pair, if wins { 2 } else { 0 });
            }
        }
        let values = spsa.values();
        assert_eq!((values[0].name.as_str(), values[0].start), ("margin", 100));
        assert!((values[0].value - 160.0).abs() < 20.0, "{values:?}");
        assert!((values[1].value - 4.0).abs() < 1.0, "{values:?}");
    }

    #[test]
    fn the_engines_play_above_and_below_the_values() {
        let spsa = run();
        let mut seen = HashSet::new();
        for pair in 19_900..20_000 {
            let numbers = |options: Vec<(String, String)>| -> Vec<i32> {
                options.iter().map(|(_, value)| value.parse().unwrap()).collect()
            };
            let [first, second] = spsa.options(pair).map(numbers);
            assert_eq!(first[0] + second[0], 200);
            assert_eq!((first[0] - second[0]).abs(), 40);
            assert_eq!((first[1] + second[1], (first[1] - second[1]).abs()), (8, 2));
            seen.insert(first);
        }
        assert_eq!(seen.len(), 4, "all combinations");
    }

    #[test]
    fn values_stay_in_their_range_and_leave_a_bound_at_once() {
        let mut spsa = run();
        for _ in 0..100_000 {
            spsa.add(1, 2);
        }
        let values = |spsa: &SpsaRun| spsa.values().into_iter().map(|tuned| tuned.value);
        let bounds: Vec<f64> = values(&spsa).collect();
        assert!([0.0, 500.0].contains(&bounds[0]) && [1.0, 8.0].contains(&bounds[1]));
        spsa.add(1, 0);
        assert!(values(&spsa).zip(bounds).all(|(value, bound)| value != bound));
    }

    #[test]
    fn files_that_cannot_be_used_are_refused() {
        let error = |text: &str| Spsa::read_toml(text).unwrap_err().to_string();
        let file = |pairs: &str, parameter: &str| {
            format!("pairs = {pairs}\n[[parameter]]\n{}", parameter.replace(", ", "\n"))
        };
        let good = "name = \"a\", value = 5, min = 1, max = 9, step = 2";
        assert!(Spsa::read_toml(&file("9", good)).is_ok());
        assert!(error("pairs = 9").contains("missing field `parameter`"));
        assert!(error("pairs = 9\nparameter = []").contains("no parameter"));
        for pairs in ["0", "10000001"] {
            assert!(error(&file(pairs, good)).contains("`pairs`"));
        }
        assert!(error(&format!("rate = 2.0\n{}", file("9", good))).contains("`rate`"));
        let twice = format!(
            "{}\n{}",
            file("9", good),
            "[[parameter]]\nname = \"A\"\nvalue = 5\nmin = 1\nmax = 9\nstep = 2"
        );
        assert!(error(&twice).contains("used twice"));
        let tab = file("9", &good.replace("\"a\"", "\"a\\t\""));
        assert!(error(&tab).contains("the name \"a\\u{9}\" of a parameter"));
        for (old, new) in [
            ("value = 5", "value = 10"),
            ("step = 2", "step = 0.5"),
            ("max = 9", "max = 6, extra = 1"),
            ("step = 2", "step = 9"),
            ("step = 2", "step = nan"),
        ] {
            let text = error(&file("9", &good.replace(old, new)));
            assert!(text.contains("parameter a") || text.contains("extra"), "{text}");
        }
    }
}
