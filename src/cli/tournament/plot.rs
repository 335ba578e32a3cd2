//! The standings as a picture: the share of the points of each engine, with its error.

use plotters::prelude::*;

use super::history::{Point, history};
use super::table::{elo, ranking};
use crate::cli::common::Failure;
use crate::tournament::stats::{Estimate, Standings};
use crate::tournament::{GameSummary, Tournament};

/// Width of the picture in pixels.
const WIDTH: u32 = 800;
/// Height of an engine's row.
const ROW: u32 = 50;
/// Height of the title and the axis together.
const FRAME: u32 = 90;

/// Height of a picture of the history.
const HISTORY: u32 = 220;

type Painted = Result<(), Box<dyn std::error::Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// Draws the standings as SVG, and under them, for two engines, how they came about: Elo and the ratio
/// of the sequential test. `games` are in the order of the schedule.
///
/// # Errors
/// The drawing fails, which no standings make it do.
pub(super) fn draw(
    tournament: &Tournament,
    standings: &Standings,
    games: &[GameSummary],
) -> Result<String, Failure> {
    paint(tournament, standings, games).map_err(|error| Failure::new("the plot", error))
}

fn paint(
    tournament: &Tournament,
    standings: &Standings,
    games: &[GameSummary],
) -> Result<String, Box<dyn std::error::Error>> {
    let order = ranking(tournament, standings);
    let name = |n: usize| tournament.engines[n].name.as_str();
    let rows: Vec<_> = order
        .into_iter()
        .map(|n| (name(n), standings.of(n).estimate()))
        .collect();
    let title = format!("{}: {} games", tournament.event, standings.games());
    let points = match tournament.engines.len() {
        2 => history(tournament, games),
        _ => Vec::new(),
    };
    let curves = curves(tournament, &points);
    let height = FRAME + ROW * u32::try_from(rows.len())?;
    let whole = height + HISTORY * u32::try_from(curves.len())?;
    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, (WIDTH, whole)).into_drawing_area();
    root.fill(&WHITE)?;
    let (table, mut rest) = root.split_vertically(height);
    paint_standings(&table, &rows, &title)?;
    for curve in &curves {
        let (area, below) = rest.split_vertically(HISTORY);
        paint_curve(&area, curve)?;
        rest = below;
    }
    root.present()?;
    drop((table, rest, root));
    Ok(svg)
}

/// Lines over the number of games.
struct Curve {
    title: String,
    /// The value itself first, then what bounds it.
    lines: Vec<Vec<(f64, f64)>>,
    /// Values that mean a decision.
    marks: Vec<f64>,
}

/// What there is to be drawn of a history; a single point makes no line.
fn curves(tournament: &Tournament, points: &[Point]) -> Vec<Curve> {
    if points.len() < 2 {
        return Vec::new();
    }
    let line = |value: &dyn Fn(&Point) -> Option<f64>| -> Vec<(f64, f64)> {
        let values = points.iter().map(|p| (p.games as f64, value(p)));
        let known = values.filter_map(|(games, value)| Some((games, value?)));
        known.filter(|(_, value)| value.is_finite()).collect()
    };
    let elo = Curve {
        title: format!("Elo of {} with 95 % bounds", tournament.engines[0].name),
        lines: vec![
            line(&|p| Some(p.elo.value)),
            line(&|p| Some(p.elo.low)),
            line(&|p| Some(p.elo.high)),
        ],
        marks: vec![0.0],
    };
    let llr = tournament.sprt.map(|sprt| {
        let (lower, upper) = sprt.bounds();
        Curve {
            title: format!("log-likelihood ratio, {sprt}"),
            lines: vec![line(&|p| p.llr)],
            marks: vec![lower, upper],
        }
    });
    let curves = [elo].into_iter().chain(llr);
    curves.filter(|curve| curve.lines[0].len() > 1).collect()
}

fn paint_curve(area: &Area<'_>, curve: &Curve) -> Painted {
    let values = curve.lines.iter().flatten().map(|(_, value)| *value);
    // The first errors are so wide that nothing else would be seen.
    let main = curve.lines[0].iter().map(|(_, value)| value.abs());
    let widest = main
        .chain(curve.marks.iter().map(|m| m.abs()))
        .fold(1.0, f64::max);
    let bound = |value: f64| value.clamp(-2.0 * widest, 2.0 * widest);
    let all = values.map(bound).chain(curve.marks.iter().copied());
    let (low, high) = all.fold((0.0_f64, 0.0_f64), |(low, high), v| {
        (low.min(v), high.max(v))
    });
    let games = curve.lines[0].last().map_or(1.0, |(games, _)| *games);
    let room = (high - low).max(1.0) * 0.05;
    let mut chart = ChartBuilder::on(area)
        .caption(&curve.title, ("sans-serif", 16))
        .margin(10)
        .margin_right(25)
        .x_label_area_size(30)
        .y_label_area_size(45)
        .build_cartesian_2d(0.0..games, (low - room)..(high + room))?;
    chart
        .configure_mesh()
        .max_light_lines(1)
        .x_label_formatter(&|games| format!("{games:.0}"))
        .x_desc("games")
        .draw()?;
    for mark in &curve.marks {
        let line = vec![(0.0, *mark), (games, *mark)];
        chart.draw_series([PathElement::new(line, RED)])?;
    }
    for (index, line) in curve.lines.iter().enumerate() {
        let line: Vec<_> = line.iter().map(|(x, y)| (*x, bound(*y))).collect();
        let style = match index {
            0 => BLUE.stroke_width(2),
            _ => BLUE.mix(0.4).stroke_width(1),
        };
        chart.draw_series([PathElement::new(line, style)])?;
    }
    Ok(())
}

fn paint_standings(root: &Area<'_>, rows: &[(&str, Option<Estimate>)], title: &str) -> Painted {
    let bottom = -(rows.len() as f64);
    let mut chart = ChartBuilder::on(root)
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
    Ok(())
}
