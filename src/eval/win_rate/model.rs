//! Coefficients of the model of win rates, constant first, in units of the evaluation.
//! Written by `chuhe data win-rate` from 947690 positions (mean loss 0.5934).

/// The score that wins every other game.
pub(super) const A: [f64; 4] = [371.11, -201.10, -176.08, 214.41];
/// How fast chances rise around it.
pub(super) const B: [f64; 4] = [38.97, 182.93, 439.58, -325.14];
