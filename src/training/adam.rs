//! One step of Adam for a single parameter (D. P. Kingma and J. Ba, "Adam: a method for stochastic
//! optimization", 2015), for the fits in double precision.

/// Share of the running mean of a slope that stays with each step.
const MEAN_DECAY: f64 = 0.9;
/// Share of the running mean of a squared slope that stays with each step.
const VARIANCE_DECAY: f64 = 0.999;
/// Keeps a slope that was always zero from being divided by zero.
const EPSILON: f64 = 1e-12;

/// Updates the running means of a slope and of its square, and returns how far the parameter is to be moved
/// against the slope, in units of the step size. `steps` counts from 1.
pub(super) fn update(mean: &mut f64, variance: &mut f64, slope: f64, steps: i32) -> f64 {
    *mean = MEAN_DECAY * *mean + (1.0 - MEAN_DECAY) * slope;
    *variance = VARIANCE_DECAY * *variance + (1.0 - VARIANCE_DECAY) * slope * slope;
    let mean = *mean / (1.0 - MEAN_DECAY.powi(steps));
    let variance = *variance / (1.0 - VARIANCE_DECAY.powi(steps));
    mean / (variance.sqrt() + EPSILON)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_has_length_one_whatever_the_slope() {
        for slope in [1e-3, 1.0, -250.0] {
            let moved = update(&mut 0.0, &mut 0.0, slope, 1);
            assert!((moved - slope.signum()).abs() < 1e-6, "{slope}: {moved}");
        }
        assert_eq!(update(&mut 0.0, &mut 0.0, 0.0, 1), 0.0);
    }
}
