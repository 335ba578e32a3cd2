//! The loss curves of a training run.

use plotters::prelude::*;

use crate::cli::common::{Context, Failure};
use crate::training::network::PassReport;

/// Width and height of the picture in pixels.
const SIZE: (u32, u32) = (800, 420);

type Loss = fn(&PassReport) -> f64;
/// The two curves: name, color, value.
const CURVES: [(&str, RGBColor, Loss); 2] = [
    ("training", BLUE, |report| report.training_loss),
    ("test", RED, |report| report.test_loss),
];

/// Draws the losses by pass as SVG. The scale is logarithmic, because the losses fall mostly in the first passes.
pub fn draw(reports: &[PassReport]) -> Result<String, Failure> {
    paint(reports).context("the loss curves")
}

fn paint(reports: &[PassReport]) -> Result<String, Box<dyn std::error::Error>> {
    let values = reports
        .iter()
        .flat_map(|report| CURVES.map(|(_, _, loss)| loss(report)));
    let known = values.filter(|value| value.is_finite() && *value > 0.0);
    let (low, high) = known.fold((f64::MAX, f64::MIN_POSITIVE), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    let range = (low.min(high) / 1.05, high * 1.05);
    let passes = reports.last().map_or(1, |report| report.pass);
    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(
            "mean squared error of the expected result",
            ("sans-serif", 18),
        )
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(64)
        .build_cartesian_2d(1..passes.max(2), (range.0..range.1).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("pass")
        .y_label_formatter(&|loss| format!("{loss:.4}"))
        .draw()?;
    for (name, color, loss) in CURVES {
        let points = reports.iter().map(|report| (report.pass, loss(report)));
        let line = PathElement::new(points.collect::<Vec<_>>(), color.stroke_width(2));
        chart
            .draw_series(std::iter::once(line))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color));
    }
    chart
        .configure_series_labels()
        .background_style(WHITE)
        .border_style(BLACK)
        .draw()?;
    root.present()?;
    drop(chart);
    drop(root);
    Ok(svg)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(pass: u32, training_loss: f64, test_loss: f64) -> PassReport {
        PassReport {
            pass,
            training_loss,
            test_loss,
            rate: 1e-3,
        }
    }

    #[test]
    fn both_losses_are_drawn_for_any_number_of_passes() {
        for count in 1..4 {
            let reports: Vec<_> = (1..=count)
                .map(|pass| report(pass, 0.04 / f64::from(pass), 0.05 / f64::from(pass)))
                .collect();
            let svg = draw(&reports).unwrap();
            assert!(svg.contains("</svg>") && svg.contains("training") && svg.contains("test"));
            // Each curve has a point, `x,y`, for each pass.
            let curves = svg
                .lines()
                .filter(|line| line.contains("stroke-width=\"2\""));
            let points: Vec<_> = curves.map(|line| line.matches(',').count()).collect();
            assert_eq!(points, [count as usize; 2], "{svg}");
        }
        assert!(draw(&[report(1, f64::NAN, 0.0)]).is_ok());
    }
}
