//! An SPRT in progress.

use std::collections::BTreeMap;

use super::sprt::{Decision, Sprt};

/// An SPRT in progress.
///
/// Pairs count in the order of the schedule, not in the order in which they finish: counting short games first
/// would bias the test.
#[derive(Clone, Debug)]
pub struct SprtRun {
    sprt: Sprt,
    pairs: [u64; 5],
    next: u64,
    waiting: BTreeMap<u64, usize>,
    decision: Option<Decision>,
}

impl SprtRun {
    /// A test without results.
    pub fn new(sprt: Sprt) -> Self {
        Self {
            sprt,
            pairs: [0; 5],
            next: 0,
            waiting: BTreeMap::new(),
            decision: None,
        }
    }

    /// Adds the result of a game pair in half points. A decision is final.
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

    /// The test.
    pub fn sprt(&self) -> &Sprt {
        &self.sprt
    }

    /// The accepted hypothesis, if any.
    pub fn decision(&self) -> Option<Decision> {
        self.decision
    }

    /// The pentanomial counts so far.
    pub fn pairs(&self) -> &[u64; 5] {
        &self.pairs
    }

    /// The current LLR.
    pub fn llr(&self) -> f64 {
        self.sprt.llr(&self.pairs)
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
            "pairs after the decision do not count: {seen}"
        );
        run.add(2000, 0);
        assert_eq!(run.pairs().iter().sum::<u64>(), seen);
    }
}
