//! Plots the standings as SVG.

use plotters::prelude::*;

use super::report::{elo, ranking};
use crate::text::{counted, fill, texts, translated};
use crate::tournament::stats::{Estimate, Interval, Scores, SprtRun, Standings};
use crate::tournament::{GameSummary, Tournament};

/// Width of the plot, in pixels.
const WIDTH: u32 = 800;
/// Height of the row of an engine, in pixels.
const ROW_HEIGHT: u32 = 50;
/// Height of the title and the axis of the standings, in pixels.
const FRAME_HEIGHT: u32 = 90;
/// Height of a curve with its title and axes, in pixels.
const CURVE_HEIGHT: u32 = 220;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// Plots the score of each engine. For two engines, also plots Elo and, with an SPRT, the LLR by the number of games.
/// `games` must be in the order of the schedule.
pub fn draw(
    tournament: &Tournament,
    standings: &Standings,
    games: &[GameSummary],
) -> Result<String> {
    let order = ranking(tournament, standings);
    let name = |n: usize| tournament.engines[n].name.as_str();
    let rows: Vec<_> = order.into_iter().map(|n| (name(n), standings.of(n).estimate())).collect();
    let games_text = counted(standings.games(), "game");
    let title = fill(texts().labeled, &[&tournament.event, &translated(&games_text)]);
    let points = match tournament.engines.len() {
        2 => history(tournament, games),
        _ => Vec::new(),
    };
    let curves = curves(tournament, &points);
    let height = FRAME_HEIGHT + ROW_HEIGHT * u32::try_from(rows.len())?;
    let whole = height + CURVE_HEIGHT * u32::try_from(curves.len())?;
    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, (WIDTH, whole)).into_drawing_area();
    root.fill(&WHITE)?;
    let (table, mut rest) = root.split_vertically(height);
    paint_standings(&table, &rows, &title)?;
    for curve in &curves {
        let (area, below) = rest.split_vertically(CURVE_HEIGHT);
        paint_curve(&area, curve)?;
        rest = below;
    }
    root.present()?;
    drop((table, rest, root));
    Ok(svg)
}

/// Maximum number of points of a curve, not counting the last one.
const MAX_POINTS: usize = 400;

struct Point {
    games: u64,
    /// Elo of the first engine.
    elo: Interval,
    llr: Option<f64>,
}

/// The history of a match of two engines: one point per game pair, or per game without pairs. If there are more than
/// [`MAX_POINTS`], only every nth point and the last one are kept. `games` must be in the order of the schedule.
fn history(tournament: &Tournament, games: &[GameSummary]) -> Vec<Point> {
    let mut scores = Scores::default();
    let mut run = tournament.sprt.map(SprtRun::new);
    let mut points = Vec::new();
    let schedule = tournament.schedule();
    let is_pair = |a: &GameSummary, b: &GameSummary| {
        let pair = schedule.pair(a.number);
        pair.is_some() && pair == schedule.pair(b.number)
    };
    for pair in games.chunk_by(is_pair) {
        let half_points: Vec<usize> = pair.iter().map(|game| game.half_points(0)).collect();
        for result in &half_points {
            scores.games[*result] += 1;
        }
        if let [first, second] = half_points[..] {
            scores.pairs[first + second] += 1;
            if let Some(run) = &mut run
                && let Some(number) = schedule.pair(pair[0].number)
            {
                run.add(number, first + second);
            }
        }
        if let Some(estimate) = scores.estimate() {
            points.push(Point {
                games: scores.count(),
                elo: estimate.elo,
                llr: run.as_ref().map(SprtRun::llr),
            });
        }
    }
    let step = points.len().div_ceil(MAX_POINTS).max(1);
    let last = points.len().saturating_sub(1);
    let kept = points.into_iter().enumerate();
    kept.filter(|(index, _)| index % step == 0 || *index == last).map(|(_, point)| point).collect()
}

struct Curve {
    title: String,
    /// The line of the value, then those of its bounds. The x coordinate is the number of games.
    lines: Vec<Vec<(f64, f64)>>,
    /// Horizontal lines: zero Elo, or the bounds of the SPRT.
    levels: Vec<f64>,
}

/// The curves of Elo and, with an SPRT, of the LLR. A curve with fewer than two finite values is left out.
fn curves(tournament: &Tournament, points: &[Point]) -> Vec<Curve> {
    if points.len() < 2 {
        return Vec::new();
    }
    let line = |value: &dyn Fn(&Point) -> Option<f64>| -> Vec<(f64, f64)> {
        let values = points.iter().map(|p| (p.games as f64, value(p)));
        let known = values.filter_map(|(games, value)| Some((games, value?)));
        known.filter(|(_, value)| value.is_finite()).collect()
    };
    let elo = format!("Elo of {} with 95 % bounds", tournament.engines[0].name);
    let elo = Curve {
        title: translated(&elo).into_owned(),
        lines: vec![
            line(&|p| Some(p.elo.value)),
            line(&|p| Some(p.elo.low)),
            line(&|p| Some(p.elo.high)),
        ],
        levels: vec![0.0],
    };
    let llr = tournament.sprt.map(|sprt| {
        let (lower, upper) = sprt.bounds();
        Curve {
            title: format!("LLR, {sprt}"),
            lines: vec![line(&|p| p.llr)],
            levels: vec![lower, upper],
        }
    });
    let curves = [elo].into_iter().chain(llr);
    curves.filter(|curve| curve.lines[0].len() > 1).collect()
}

fn paint_curve(area: &Area<'_>, curve: &Curve) -> Result<()> {
    let values = curve.lines.iter().flatten().map(|(_, value)| *value);
    // The bounds after the first games are very wide, so they are clipped.
    let main = curve.lines[0].iter().map(|(_, value)| value.abs());
    let widest = main.chain(curve.levels.iter().map(|level| level.abs())).fold(1.0, f64::max);
    let bound = |value: f64| value.clamp(-2.0 * widest, 2.0 * widest);
    let all = values.map(bound).chain(curve.levels.iter().copied());
    let (low, high) = all.fold((0.0_f64, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)));
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
        .x_desc(translated("games"))
        .draw()?;
    for level in &curve.levels {
        let line = vec![(0.0, *level), (games, *level)];
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

fn paint_standings(root: &Area<'_>, rows: &[(&str, Option<Estimate>)], title: &str) -> Result<()> {
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
        .x_desc(translated("score in % with 95 % bounds"))
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
