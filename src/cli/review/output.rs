//! A reviewed game as a table, as JSON, as PGN and as a graph.

use std::collections::HashSet;
use std::fmt::Write as _;

use console::measure_text_width;
use serde_json::{Value, json};

use super::game::{Grade, MoveVerdict, Repetition, Review, ReviewedMove, repetitions};
use crate::board::{Color, Move};
use crate::cli::common::{
    Language, Place, columns, fill, pad_left, score_and_mate, terminal_width, texts,
};
use crate::notation::tree::{AnnotatedMove, GameTree, NodeId, ROOT, append};
use crate::notation::{Line, MoveStyle, chinese, opening};
use crate::page;
use crate::rules::RuleSet;
use crate::search::{Meaning, Score};

/// Maximum number of moves of a better line that is added as a variation.
const LINE_LENGTH: usize = 8;

/// The table of the moves, the summary of both sides, the opening, and the rulings on repetitions.
pub fn table(review: &Review, notation: MoveStyle, has_title: bool) -> String {
    let texts = texts();
    let head = [texts.ply, texts.played, texts.score, texts.lost, "", texts.better];
    let mut rows = vec![head.map(str::to_owned)];
    for (number, reviewed) in (1..).zip(&review.moves) {
        let write = |played| notation.write(&reviewed.before, played);
        let verdict = reviewed.verdict.as_ref();
        let score = verdict.map_or("-".to_owned(), |verdict| verdict.score.to_string());
        let mark = verdict.map_or_else(String::new, |verdict| verdict.grade.mark());
        rows.push([
            format!("{number:>3}"),
            write(reviewed.played) + &mark,
            format!("{score:>7}"),
            verdict.map_or_else(String::new, |verdict| lost(verdict.lost)),
            verdict.map_or("", |verdict| verdict.grade.name()).to_owned(),
            verdict.and_then(MoveVerdict::better).map_or_else(String::new, write),
        ]);
    }
    let mut text = String::new();
    if has_title {
        let number = review.number.to_string();
        text += &fill(texts.game_number, &[&number, &page::title(&review.record)]);
        text += "\n\n";
    }
    text += &(columns(&rows, terminal_width()) + "\n" + &summary(review));
    if let Some(opening) = opening::of(&review.record.main_line()) {
        text += &format!("\n{}\n", fill(texts.opening, &[&opening.to_string()]));
    }
    for repetition in &review.repetitions {
        let ply = repetition.ply.to_string();
        let after = fill(texts.after_ply, &[&ply, &repetition.text()]);
        text += &format!("\n{after}\n");
    }
    if has_title {
        text.push('\n');
    }
    text
}

/// A loss of expected points in percent; empty if it is less than half a percent.
fn lost(percent: f64) -> String {
    // `{:.0}` would show 0.5 as 0, because it rounds half to even.
    let lost = percent.round();
    if lost > 0.0 { format!("{lost:>3} %") } else { String::new() }
}

/// A percentage with two decimals.
fn rounded(percent: f64) -> f64 {
    (percent * 100.0).round() / 100.0
}

/// The review of one game of `file`, as one line of JSON.
pub fn json(review: &Review, file: &str, place: Place) -> String {
    let moves = review.moves.iter().zip(&review.points[1..]);
    let moves = (1..).zip(moves);
    let moves = moves.map(|(ply, (reviewed, points))| move_json(ply, reviewed, *points));
    let sides = Color::ALL.map(|color| {
        let summary = &review.sides[color];
        let mut side = json!(summary);
        side["side"] = json!(color);
        side["accuracy"] = json!(summary.accuracy.map(rounded));
        side["lost"] = json!(summary.lost.map(rounded));
        side
    });
    let repetitions = review.repetitions.iter();
    let english = |r: &Repetition| Language::En.within(|| r.text());
    let repetitions = repetitions.map(|r| json!({ "ply": r.ply, "text": english(r) }));
    let opening = opening::of(&review.record.main_line());
    let object = json!({
        "file": file,
        "game": review.number,
        "line": place.line(),
        "ecco": opening.map(|opening| opening.code),
        "opening": opening.map(|opening| &opening.name),
        "red": review.record.tag("Red"),
        "black": review.record.tag("Black"),
        "result": review.record.result,
        "left_out": review.record.lacks_last_moves(),
        "moves": moves.collect::<Value>(),
        "sides": sides,
        "repetitions": repetitions.collect::<Value>(),
    });
    format!("{object}\n")
}

/// A move as JSON; the fields of its verdict are null if it was not judged.
fn move_json(ply: usize, reviewed: &ReviewedMove, points: Option<f64>) -> Value {
    let verdict = reviewed.verdict.as_ref();
    let (score, mate) = verdict.map_or((None, None), |verdict| score_and_mate(verdict.score));
    let winner = verdict.and_then(|verdict| match verdict.score {
        score if score.is_mating() => Some(Color::Red),
        score if score.is_mated() => Some(Color::Black),
        _ => None,
    });
    json!({
        "ply": ply,
        "move": reviewed.played,
        "chinese": chinese::write(&reviewed.before, reviewed.played),
        "fen": reviewed.before.to_string(),
        "points": points.map(rounded),
        "score": score,
        "mate": mate,
        "winner": winner,
        "depth": verdict.map(|verdict| verdict.found.depth),
        "lost": verdict.map(|verdict| rounded(verdict.lost)),
        "grade": verdict.map(|verdict| verdict.grade.word()),
        "best_line": verdict.map(|verdict| &verdict.found.line),
    })
}

/// The table of both sides: moves, accuracy, average loss and errors.
fn summary(review: &Review) -> String {
    let texts = texts();
    let head = [
        "",
        texts.moves,
        texts.accuracy,
        texts.lost_per_move,
        texts.inaccuracies,
        texts.mistakes,
        texts.blunders,
    ];
    let mut rows = vec![head.map(str::to_owned)];
    let percent =
        |mean: Option<f64>| mean.map_or_else(|| "-".to_owned(), |mean| format!("{mean:.1} %"));
    for color in Color::ALL {
        let side = &review.sides[color];
        let cells = [
            color.local_name().to_owned(),
            side.moves.to_string(),
            percent(side.accuracy),
            percent(side.lost),
            side.inaccuracies.to_string(),
            side.mistakes.to_string(),
            side.blunders.to_string(),
        ];
        rows.push(std::array::from_fn(|n| pad_left(&cells[n], measure_text_width(head[n]))));
    }
    columns(&rows, terminal_width())
}

/// The record with scores, glyphs, better lines, rulings on repetitions, and tags for opening, accuracy and annotator.
pub fn annotated(review: &Review) -> GameTree {
    let mut record = review.record.clone();
    if record.tag("ECCO").or(record.tag("Opening")).is_none() {
        record.set_opening_tags();
    }
    for color in Color::ALL {
        let name = match color {
            Color::Red => "RedAccuracy",
            Color::Black => "BlackAccuracy",
        };
        if let Some(accuracy) = review.sides[color].accuracy {
            record.set_tag(name, &format!("{accuracy:.1}"));
        }
    }
    let names = record.known_tag("Annotator").unwrap_or_default().to_owned();
    if names.split(", ").any(is_this_program) {
        remove_better_lines(&mut record, |ply| {
            review.moves.get(ply).is_some_and(|reviewed| reviewed.verdict.is_some())
        });
    }
    record.set_tag("Annotator", &annotators(&names));
    let line: Vec<NodeId> = record.moves.line(ROOT).collect();
    for (ply, text) in rulings_in_all_sets(&record.main_line()) {
        if let Some(id) = ply.checked_sub(1).and_then(|n| line.get(n)) {
            let comment = &mut record.moves[*id].comment;
            if let Some((before, after)) = comment.split_once(&text) {
                *comment =
                    format!("{} {}", before.trim_end(), after.trim_start()).trim().to_owned();
            }
        }
    }
    for repetition in &review.repetitions {
        if let Some(id) = repetition.ply.checked_sub(1).and_then(|n| line.get(n)) {
            append(&mut record.moves[*id].comment, &repetition.text());
        }
    }
    for (id, reviewed) in line.into_iter().zip(&review.moves) {
        let Some(verdict) = &reviewed.verdict else {
            continue;
        };
        let node = &mut record.moves[id];
        remove_verdict(node);
        let glyph = verdict.grade.glyph();
        node.glyphs.extend(glyph.filter(|glyph| !node.glyphs.contains(glyph)));
        let comment = format!("{} {}", node.comment.trim(), comment(verdict));
        node.comment = comment.trim_start().to_owned();
        let before = record.moves.parent(id).unwrap_or(ROOT);
        let is_better = |child: NodeId| record.moves[child].played == verdict.better();
        if verdict.better().is_some() && !record.moves.children(before).any(is_better) {
            let score = match reviewed.before.side_to_move() {
                Color::Red => verdict.found.score,
                Color::Black => -verdict.found.score,
            };
            record.add_line(before, verdict.line());
            if let Some(better) = record.moves.children(before).last() {
                record.moves[better].comment = evaluation(score, verdict.found.depth);
            }
        }
    }
    record
}

/// Whether an annotator is this program, of any version.
fn is_this_program(name: &str) -> bool {
    name.starts_with("Chuhe ")
}

/// The names of the annotators with that of the program, whichever version was among them.
fn annotators(names: &str) -> String {
    let others = names.split(", ").filter(|name| !name.is_empty() && !is_this_program(name));
    let names: Vec<&str> = others.chain([concat!("Chuhe ", env!("CARGO_PKG_VERSION"))]).collect();
    names.join(", ")
}

/// Removes the better lines of an earlier review after the plies of the main line that `is_reviewed` accepts: variations
/// whose only comment is the score of their first move.
fn remove_better_lines(record: &mut GameTree, is_reviewed: impl Fn(usize) -> bool) {
    let moves = &record.moves;
    let main_line = std::iter::once(ROOT).chain(moves.line(ROOT)).enumerate();
    let reviewed = main_line.filter(|(ply, _)| is_reviewed(*ply));
    let variations = reviewed.flat_map(|(_, id)| moves.children(id).skip(1));
    let is_better_line = |first: &NodeId| {
        let comment = &moves[*first].comment;
        let is_score =
            comment.starts_with("[%eval ") && comment.find(']') == comment.len().checked_sub(1);
        let is_plain = |id: NodeId| moves[id].comment.is_empty() && moves.children(id).count() < 2;
        is_score && moves.children(*first).count() < 2 && moves.line(*first).all(is_plain)
    };
    let left_out: HashSet<NodeId> = variations.filter(is_better_line).collect();
    if !left_out.is_empty() {
        record.moves = moves.without(|id| left_out.contains(&id));
    }
}

/// The texts of the rulings by all rule sets in all languages, with their plies. One of them may be that of an earlier
/// review.
fn rulings_in_all_sets(line: &Line) -> Vec<(usize, String)> {
    let rulings = RuleSet::ALL.into_iter().flat_map(|rules| repetitions(line, rules));
    let texts = rulings.flat_map(|ruling| {
        [Language::En, Language::Zh].map(|language| (ruling.ply, language.within(|| ruling.text())))
    });
    texts.collect()
}

/// Removes an evaluation from a comment, whichever program wrote it, and the grade of an earlier review with its glyph.
fn remove_verdict(node: &mut AnnotatedMove) {
    let Some((before, rest)) = node.comment.split_once("[%eval ") else {
        return;
    };
    let Some((_, after)) = rest.split_once(']') else {
        return;
    };
    let graded = Grade::ALL.into_iter().find_map(|grade| {
        let loss = after.strip_prefix(&format!(" {} (-", grade.word()))?;
        Some((grade.glyph()?, loss.split_once(" %)")?.1))
    });
    if let Some((glyph, _)) = graded {
        node.glyphs.retain(|other| *other != glyph);
    }
    let after = graded.map_or(after, |(_, after)| after);
    node.comment = format!("{} {}", before.trim_end(), after.trim_start());
}

/// The comment of a move, such as `[%eval -1.35,12] mistake (-11 %)`: the score for red and the depth, and for an error
/// its grade and loss.
fn comment(verdict: &MoveVerdict) -> String {
    let mut comment = evaluation(verdict.score, verdict.found.depth);
    if verdict.grade.glyph().is_some() {
        comment += &format!(" {} (-{} %)", verdict.grade.word(), verdict.lost.round());
    }
    comment
}

/// The score for red and the depth, such as `[%eval -1.35,12]`.
fn evaluation(score: Score, depth: u32) -> String {
    let score = match score.meaning() {
        Meaning::Evaluation(score) => format!("{:.2}", f64::from(score) / 100.0),
        // This tag counts mates in moves.
        Meaning::Mates(plies) => format!("#{}", plies.div_ceil(2)),
        Meaning::Mated(plies) => format!("#-{}", plies.div_ceil(2)),
    };
    format!("[%eval {score},{depth}]")
}

impl MoveVerdict {
    /// The best move, if the move played is marked as an error.
    fn better(&self) -> Option<Move> {
        let best = self.found.line.first().copied();
        best.filter(|_| self.grade.glyph().is_some())
    }

    /// The first moves of the best line.
    fn line(&self) -> &[Move] {
        let line = &self.found.line;
        &line[..line.len().min(LINE_LENGTH)]
    }
}

/// Size of the graph, in pixels.
const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 240.0;
/// Margins of the graph: on the left and at the bottom for labels, and at the other edges.
const LEFT: f64 = 40.0;
const BOTTOM: f64 = 24.0;
const EDGE: f64 = 10.0;
/// Minimum distance between two labels of the graph, in pixels.
const LABEL_WIDTH: f64 = 40.0;

/// Draws the expected points of red by ply as SVG. Each ply has an invisible rectangle with its move as a tooltip, and
/// with the class and `data-ply` of the graph on the web page. `plotters`, which draws the other pictures, cannot add
/// such rectangles.
pub fn graph(review: &Review, notation: MoveStyle) -> String {
    let plies = review.moves.len();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n"
    );
    svg += &frame(plies);
    svg += &curve(&review.points);
    for (ply, (reviewed, points)) in (1..).zip(review.moves.iter().zip(&review.points[1..])) {
        svg += &mark(reviewed, *points, x(ply, plies));
        svg += &rectangle(ply, plies, reviewed, notation);
    }
    svg += "</svg>\n";
    svg
}

/// The x coordinate of a ply; ply 0 is the position before the first move.
fn x(ply: usize, plies: usize) -> f64 {
    LEFT + (WIDTH - LEFT - EDGE) * ply as f64 / plies.max(1) as f64
}

/// The y coordinate of `points` percent for red.
fn y(points: f64) -> f64 {
    EDGE + (HEIGHT - EDGE - BOTTOM) * (100.0 - points) / 100.0
}

/// The horizontal lines at 0, 50 and 100 %, with labels, and the ply numbers below them.
fn frame(plies: usize) -> String {
    let texts = texts();
    let (left, right) = (LEFT, WIDTH - EDGE);
    let mut svg = String::new();
    for (points, label) in [(100.0, texts.red), (50.0, "50 %"), (0.0, texts.black)] {
        let (y, label_x) = (y(points), left - 4.0);
        let label_y = y + 4.0;
        let _ = writeln!(
            svg,
            "<line x1=\"{left}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#bbb\"/>\n\
             <text x=\"{label_x:.1}\" y=\"{label_y:.1}\" text-anchor=\"end\" fill=\"#555\">{label}</text>"
        );
    }
    let distance = (LABEL_WIDTH * plies as f64 / (right - left)).ceil() as usize;
    let step = distance.next_multiple_of(10).max(10);
    for ply in (step..=plies).step_by(step) {
        let (x, y) = (x(ply, plies), HEIGHT - 8.0);
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" fill=\"#555\">{ply}</text>"
        );
    }
    svg
}

/// The curve and the area between it and the middle, interrupted where positions were not searched.
fn curve(points: &[Option<f64>]) -> String {
    let plies = points.len() - 1;
    let known: Vec<(usize, f64)> =
        (0..).zip(points).filter_map(|(ply, points)| Some((ply, (*points)?))).collect();
    let middle = y(50.0);
    let mut svg = String::new();
    for part in known.chunk_by(|(ply, _), (next, _)| ply + 1 == *next) {
        let place =
            |(ply, points): &(usize, f64)| format!("{:.1},{:.1}", x(*ply, plies), y(*points));
        let line = part.iter().map(place).collect::<Vec<_>>().join(" ");
        let (first, last) = (x(part[0].0, plies), x(part[part.len() - 1].0, plies));
        let _ = writeln!(
            svg,
            "<polygon points=\"{first:.1},{middle:.1} {line} {last:.1},{middle:.1}\" fill=\"#c33\" \
             fill-opacity=\"0.15\"/>\n\
             <polyline points=\"{line}\" fill=\"none\" stroke=\"#a22\" stroke-width=\"1.5\"/>"
        );
    }
    svg
}

/// The mark of an inaccuracy, mistake or blunder; empty for other moves.
fn mark(reviewed: &ReviewedMove, points: Option<f64>, x: f64) -> String {
    let color = match reviewed.verdict.as_ref().map(|verdict| verdict.grade) {
        None | Some(Grade::Best | Grade::Good) => return String::new(),
        Some(Grade::Inaccuracy) => "#d8a600",
        Some(Grade::Mistake) => "#e07000",
        Some(Grade::Blunder) => "#d00000",
    };
    let y = y(points.unwrap_or(50.0));
    format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{color}\"/>\n")
}

/// The invisible rectangle of a ply, with its tooltip.
fn rectangle(ply: usize, plies: usize, reviewed: &ReviewedMove, notation: MoveStyle) -> String {
    let width = (WIDTH - LEFT - EDGE) / plies.max(1) as f64;
    let left = x(ply, plies) - width / 2.0;
    let mut text = notation.write(&reviewed.before, reviewed.played);
    if let Some(verdict) = &reviewed.verdict {
        text += &format!("{} {}", verdict.grade.mark(), verdict.score);
    }
    format!(
        "<rect class=\"ply\" data-ply=\"{ply}\" x=\"{left:.1}\" y=\"0\" width=\"{width:.1}\" \
         height=\"{HEIGHT}\" fill-opacity=\"0\"><title>{ply}. {text}</title></rect>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::pgn;

    #[test]
    fn better_lines_of_an_earlier_review_are_removed() {
        let text = "1. h2e2 (1. c3c4 {[%eval 0.30,9]} c6c5) (1. b2e2 h9g7 {[%eval 0.10,9]}) \
                    h9g7 (1... b9c7 {[%eval 0.30,9]} b0c2 (2. a0a1)) (1... h7e7 {[%eval 1,9] good}) \
                    (1... g6g5 {[%eval #3,9]}) 2. h0g2 *";
        let mut record = pgn::read(text).remove(0).unwrap();
        let before = record.clone();
        remove_better_lines(&mut record, |ply| ply > 1);
        assert_eq!(record.write_pgn(MoveStyle::Iccs), before.write_pgn(MoveStyle::Iccs));
        remove_better_lines(&mut record, |ply| ply < 2);
        let written = record.write_pgn(MoveStyle::Iccs).replace('\n', " ");
        assert_eq!(record.main_line().coordinates(), "h2e2 h9g7 h0g2");
        for (variation, is_kept) in
            [("C3-C4", false), ("B2-E2", true), ("B9-C7", true), ("H7-E7", true), ("G6-G5", false)]
        {
            assert_eq!(written.contains(variation), is_kept, "{written}");
        }
    }

    #[test]
    fn losses_are_rounded_half_up() {
        for (percent, shown) in [(0.49, ""), (0.5, "  1 %"), (2.5, "  3 %"), (99.6, "100 %")] {
            assert_eq!(lost(percent), shown);
        }
    }
}
