//! AdamW: D. P. Kingma and J. Ba, *Adam* (2015), with the weight decay of I. Loshchilov and F. Hutter
//! (2019).

use super::vector::Vector;

/// Decay of the mean of gradients.
const BETA1: f32 = 0.9;
/// Decay of the mean of squared gradients.
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// Both means for every parameter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AdamW {
    pub mean: Vec<Vector>,
    pub square: Vec<Vector>,
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
            mean: vec![Vector::ZERO; length],
            square: vec![Vector::ZERO; length],
            steps: 0,
        }
    }
}

/// Moves a part of the parameters against its gradient, in the `steps`th step. Those from `bound` on
/// neither decay nor are they bound in size.
#[inline(always)]
pub(super) fn step(
    parameters: &mut [Vector],
    mean: &mut [Vector],
    square: &mut [Vector],
    gradient: &[Vector],
    steps: u64,
    step: AdamStep,
    bound: usize,
) {
    let exponent = steps.min(1_000_000) as i32;
    let mean_scale = 1.0 / (1.0 - BETA1.powi(exponent));
    let square_scale = 1.0 / (1.0 - BETA2.powi(exponent));
    let means = mean.iter_mut().zip(square.iter_mut());
    for ((parameter, slope), (mean, square)) in parameters.iter_mut().zip(gradient).zip(means) {
        for i in 0..Vector::LEN {
            let slope = slope.0[i];
            mean.0[i] += (1.0 - BETA1) * (slope - mean.0[i]);
            square.0[i] += (1.0 - BETA2) * (slope * slope - square.0[i]);
            let size = (square.0[i] * square_scale).sqrt() + EPSILON;
            parameter.0[i] -= step.rate * (mean.0[i] * mean_scale) / size;
        }
    }
    for parameter in parameters[..bound]
        .iter_mut()
        .flat_map(|vector| &mut vector.0)
    {
        *parameter = (*parameter * (1.0 - step.rate * step.decay)).clamp(-step.clip, step.clip);
    }
}
