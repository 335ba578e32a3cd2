//! The standings as a picture: the share of the points of each engine, with its error.

use plotters::prelude::*;

use super::table::{elo, ranking};
use crate::cli::Failure;
use crate::tournament::Tournament;
use crate::tournament::stats::{Estimate, Standings};

/// Width of the picture in pixels.
const WIDTH: u32 = 800;
/// Height of an engine's row.
const ROW: u32 = 50;
/// Height of the title and the axis together.
const FRAME: u32 = 90;

/// Draws the standings as SVG.
///
/// # Errors
/// The drawing fails, which no standings make it do.
pub(super) fn draw(tournament: &Tournament, standings: &Standings) -> Result<String, Failure> {
    let order = ranking(tournament, standings);
    let rows: Vec<(&str, Option<Estimate>)> = order
        .into_iter()
        .map(|n| {
            (
                tournament.engines[n].name.as_str(),
                standings.of(n).estimate(),
            )
        })
        .collect();
    let title = format!("{}: {} games", tournament.event, standings.games());
    paint(&rows, &title).map_err(|error| Failure::new("the plot", error))
}

fn paint(
    rows: &[(&str, Option<Estimate>)],
    title: &str,
) -> Result<String, Box<dyn std::error::Error>> {
    let mut svg = String::new();
    let height = FRAME + ROW * u32::try_from(rows.len())?;
    let root = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
    root.fill(&WHITE)?;
    let bottom = -(rows.len() as f64);
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 20))
        .margin(10)
        .margin_right(25)
        .x_label_area_size(40)
        .build_cartesian_2d(0.0..100.0, bottom..0.0)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .max_light_lines(1)
        .x_label_formatter(&|share| format!("{share:.0}"))
        .y_labels(0)
        .x_desc("% of the points, with 95 % bounds")
        .draw()?;
    for (row, (name, estimate)) in rows.iter().enumerate() {
        let y = -(row as f64) - 0.7;
        let mut label = (*name).to_owned();
        if let Some(estimate) = estimate {
            label += &format!(", Elo {}", elo(&estimate.elo));
            let score = estimate.score_interval();
            let (low, high) = (100.0 * score.low, 100.0 * score.high);
            let whisker = |x: f64| PathElement::new(vec![(x, y - 0.12), (x, y + 0.12)], BLUE);
            let bar = PathElement::new(vec![(low, y), (high, y)], BLUE.stroke_width(2));
            chart.draw_series([bar, whisker(low), whisker(high)])?;
            let point = (100.0 * score.value, y);
            chart.draw_series([Circle::new(point, 5, BLUE.filled())])?;
        }
        let text = Text::new(label, (1.0, y + 0.55), ("sans-serif", 14));
        chart.draw_series([text])?;
    }
    root.present()?;
    drop(chart);
    drop(root);
    Ok(svg)
}
