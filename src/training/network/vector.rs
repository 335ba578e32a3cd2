//! Loops over floating-point numbers that the compiler makes vector instructions of any width of.
//!
//! Each number is computed by itself, or summed in an order of its own, so that every width gives the
//! same numbers.

/// Numbers that are left when [`folded_sum`] goes on with one after the other.
const FEW: usize = 16;

/// Adds `terms` to `sums`, which are as many.
#[inline(always)]
pub(super) fn add(sums: &mut [f32], terms: &[f32]) {
    for (sum, term) in sums.iter_mut().zip(terms) {
        *sum += term;
    }
}

/// The sum of `terms`, by adding the second half to the first until few are left. Their places are used
/// for that.
#[inline(always)]
pub(super) fn folded_sum(mut terms: &mut [f32]) -> f32 {
    while terms.len() > FEW && terms.len().is_multiple_of(2) {
        let (first, second) = terms.split_at_mut(terms.len() / 2);
        add(first, second);
        terms = first;
    }
    terms.iter().sum()
}
