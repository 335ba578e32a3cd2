//! Coefficients of the model of win rates, constant first, in units of the evaluation.
//! Written by `chuhe data win-rate` from 5559765 positions (mean loss 0.5264).

/// Coefficients of the score at which half of the games are won.
pub(super) const A: [f64; 4] = [489.90, -302.05, -229.99, 241.34];
/// Coefficients of the width of the curve.
pub(super) const B: [f64; 4] = [70.13, 72.71, 262.49, -205.98];
