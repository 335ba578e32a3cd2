//! What happens to the terms found in a position: their weights are added up, or they are counted.

use super::tapered::Tapered;
use super::weights::WEIGHTS;

/// Takes the terms that one side has on the board.
pub trait Terms {
    /// The side has the term with index `feature` `count` times.
    fn add(&mut self, feature: usize, count: i32);
}

/// The sum of the weights of the terms.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum(pub Tapered);

impl Terms for Sum {
    #[inline]
    fn add(&mut self, feature: usize, count: i32) {
        self.0 += WEIGHTS[feature] * count;
    }
}
