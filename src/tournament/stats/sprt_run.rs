//! A sequential test while games are played.

use std::collections::BTreeMap;

use super::sprt::{Decision, Sprt};

/// A test in progress.
///
/// Pairs count in the order of the schedule, whatever order they end in: if quick games counted
/// first, the test would see another distribution than that of all games.
#[derive(Clone, Debug)]
pub struct SprtRun {
    sprt: Sprt,
    pairs: [u64; 5],
    next: u64,
    waiting: BTreeMap<u64, usize>,
    decision: Option<Decision>,
}

impl SprtRun {
    /// A test that has seen nothing.
    pub fn new(sprt: Sprt) -> Self {
        Self {
            sprt,
            pairs: [0; 5],
            next: 0,
            waiting: BTreeMap::new(),
            decision: None,
        }
    }

    /// Takes in a pair by its number in the schedule, with its result in halves of a point. What has
    /// been decided stays.
    pub fn add(&mut self, pair: u64, half_points: usize) {
        self.waiting.insert(pair, half_points);
        while self.decision.is_none()
            && let Some(result) = self.waiting.remove(&self.next)
        {
            self.next += 1;
            self.pairs[result.min(4)] += 1;
            self.decision = self.sprt.decision(&self.pairs);
        }
    }

    /// What is tested.
    pub fn sprt(&self) -> &Sprt {
        &self.sprt
    }

    /// What has been decided.
    pub fn decision(&self) -> Option<Decision> {
        self.decision
    }

    /// The pairs that the test has seen.
    pub fn pairs(&self) -> &[u64; 5] {
        &self.pairs
    }

    /// The log-likelihood ratio as it stands.
    pub fn ratio(&self) -> f64 {
        self.sprt.log_likelihood_ratio(&self.pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_count_in_the_order_of_the_schedule() {
        let sprt: Sprt = "elo0=0,elo1=10,model=logistic".parse().unwrap();
        let mut run = SprtRun::new(sprt);
        for pair in 1..2000 {
            run.add(pair, 4);
        }
        assert_eq!((run.pairs(), run.decision()), (&[0; 5], None));
        run.add(0, 0);
        assert_eq!(run.decision(), Some(Decision::H1));
        let seen: u64 = run.pairs().iter().sum();
        assert!(
            run.pairs()[0] == 1 && seen < 2000,
            "no more than it takes: {seen}"
        );
        run.add(2000, 0);
        assert_eq!(run.pairs().iter().sum::<u64>(), seen);
    }
}
