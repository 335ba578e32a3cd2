//! AdamW: D. P. Kingma and J. Ba, *Adam* (2015), with the weight decay of I. Loshchilov and F. Hutter
//! (2019).

use crate::eval::nnue::simd::FloatBlock;

/// Decay of the mean of gradients.
const BETA1: f32 = 0.9;
/// Decay of the mean of squared gradients.
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// Both means for every parameter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AdamW {
    pub mean: Vec<FloatBlock>,
    pub square: Vec<FloatBlock>,
    pub steps: u64,
}

/// How far a step goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct AdamStep {
    pub rate: f32,
    pub decay: f32,
    /// Bound of the parameters' size.
    pub clip: f32,
}

impl AdamW {
    pub fn new(length: usize) -> Self {
        Self {
            mean: vec![FloatBlock::ZERO; length],
            square: vec![FloatBlock::ZERO; length],
            steps: 0,
        }
    }
}

/// Moves a part of the parameters against its gradient, in the `steps`th step. Those from `bound` on
/// neither decay nor are they bound in size.
#[inline(always)]
pub(super) fn step(
    parameters: &mut [FloatBlock],
    mean: &mut [FloatBlock],
    square: &mut [FloatBlock],
    gradient: &[FloatBlock],
    steps: u64,
    step: AdamStep,
    bound: usize,
) {
    let exponent = steps.min(1_000_000) as i32;
    let mean_scale = 1.0 / (1.0 - BETA1.powi(exponent));
    let square_scale = 1.0 / (1.0 - BETA2.powi(exponent));
    let bound = bound * FloatBlock::LEN;
    let parameters = FloatBlock::numbers_mut(parameters);
    let means = FloatBlock::numbers_mut(mean).iter_mut();
    let means = means.zip(FloatBlock::numbers_mut(square));
    let slopes = FloatBlock::numbers(gradient);
    for ((parameter, slope), (mean, square)) in parameters.iter_mut().zip(slopes).zip(means) {
        *mean += (1.0 - BETA1) * (slope - *mean);
        *square += (1.0 - BETA2) * (slope * slope - *square);
        let size = (*square * square_scale).sqrt() + EPSILON;
        *parameter -= step.rate * (*mean * mean_scale) / size;
    }
    for parameter in &mut parameters[..bound] {
        *parameter = (*parameter * (1.0 - step.rate * step.decay)).clamp(-step.clip, step.clip);
    }
}
