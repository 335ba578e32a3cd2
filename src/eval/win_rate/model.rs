//! Coefficients of the model of win rates, constant first, in units of the evaluation.
//! Written by `chuhe data win-rate` from 2190445 positions (mean loss 0.6488).

/// The score that wins half of the games.
pub(super) const A: [f64; 4] = [258.25, 99.92, -362.45, 182.50];
/// Width of the curve.
pub(super) const B: [f64; 4] = [19.14, 294.00, 504.09, -442.83];
