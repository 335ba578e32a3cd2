//! Coefficients of the model of win rates, constant first, in units of the evaluation.
//! Written by `chuhe data win-rate` from 8883323 positions (mean loss 0.6526).

/// Coefficients of the score at which half of the games are won.
pub(super) const A: [f64; 4] = [487.35, -316.29, -279.13, 325.81];
/// Coefficients of the width of the curve.
pub(super) const B: [f64; 4] = [54.19, 310.24, 241.07, -215.71];
