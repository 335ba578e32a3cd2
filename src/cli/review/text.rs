//! A reviewed game as a table, as JSON and as PGN.

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use super::game::{MoveVerdict, Review};
use crate::board::{Color, Move};
use crate::cli::common::{columns, fill, pad_left, score_and_mate, terminal_width, texts};
use crate::notation::tree::{GameTree, NodeId, ROOT, append};
use crate::notation::{MoveStyle, chinese, opening};
use crate::page;
use crate::search::Meaning;

/// Number of moves shown of a line.
const LINE_LENGTH: usize = 8;

/// The table of the moves, the summary of both sides, and the rulings on repetitions.
pub fn table(review: &Review, notation: MoveStyle, has_title: bool) -> String {
    let texts = texts();
    let head = [
        texts.ply,
        texts.played,
        texts.score,
        texts.lost,
        "",
        texts.better,
    ];
    let mut rows = vec![head.map(str::to_owned)];
    for (number, reviewed) in (1..).zip(&review.moves) {
        let write = |played| notation.write(&reviewed.before, played);
        let number = format!("{number:>3}");
        rows.push(match &reviewed.verdict {
            None => [
                number,
                write(reviewed.played),
                format!("{:>7}", "-"),
                String::new(),
                String::new(),
                String::new(),
            ],
            Some(verdict) => [
                number,
                write(reviewed.played) + verdict.grade.mark(),
                format!("{:>7}", verdict.score.to_string()),
                lost(verdict),
                verdict.grade.name().to_owned(),
                verdict.better().map_or_else(String::new, write),
            ],
        });
    }
    let mut text = String::new();
    if has_title {
        let number = review.number.to_string();
        text += &fill(texts.game_number, &[&number, &page::title(&review.record)]);
        text += "\n\n";
    }
    text += &(columns(&rows, terminal_width()) + "\n" + &summary(review));
    if let Some(opening) = opening::of(&review.record.main_line().line) {
        text += &format!("\n{}\n", fill(texts.opening, &[&opening.to_string()]));
    }
    for repetition in &review.repetitions {
        let ply = repetition.ply.to_string();
        let after = fill(texts.after_ply, &[&ply, &repetition.text]);
        text += &format!("\n{after}\n");
    }
    if has_title {
        text.push('\n');
    }
    text
}

/// The loss of expected points in percent; empty if it is less than half a percent.
fn lost(verdict: &MoveVerdict) -> String {
    if verdict.lost >= 0.5 {
        format!("{:>3.0} %", verdict.lost)
    } else {
        String::new()
    }
}

/// The review of one game of `file`, as one line of JSON.
pub fn json(review: &Review, file: &str) -> String {
    let moves = review.moves.iter().zip(&review.points[1..]);
    let moves = (1..).zip(moves).map(|(ply, (reviewed, points))| {
        let mut object = json!({
            "ply": ply,
            "move": reviewed.played.to_string(),
            "chinese": chinese::write(&reviewed.before, reviewed.played),
            "fen": reviewed.before.to_string(),
            "points": points,
        });
        if let Some(verdict) = &reviewed.verdict {
            let (score, mate) = score_and_mate(verdict.score);
            object["score"] = json!(score);
            object["mate"] = json!(mate);
            object["depth"] = json!(verdict.found.depth);
            object["lost"] = json!(verdict.lost);
            object["grade"] = json!(verdict.grade.word());
            let line = verdict.found.line.iter().map(ToString::to_string);
            object["best_line"] = line.collect();
        }
        object
    });
    let sides = Color::ALL.map(|color| {
        let side = &review.sides[color];
        json!({
            "side": color.to_string(),
            "moves": side.moves,
            "accuracy": side.accuracy,
            "lost": side.lost,
            "inaccuracies": side.inaccuracies,
            "mistakes": side.mistakes,
            "blunders": side.blunders,
        })
    });
    let repetitions = review.repetitions.iter();
    let repetitions = repetitions.map(|r| json!({ "ply": r.ply, "text": r.text }));
    let opening = opening::of(&review.record.main_line().line);
    let object = json!({
        "file": file,
        "game": review.number,
        "ecco": opening.map(|opening| opening.code),
        "opening": opening.map(|opening| &opening.name),
        "red": review.record.tag("Red"),
        "black": review.record.tag("Black"),
        "result": review.record.result.text(),
        "moves": moves.collect::<Value>(),
        "sides": sides,
        "repetitions": repetitions.collect::<Value>(),
    });
    format!("{object}\n")
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
        rows.push(std::array::from_fn(|n| {
            pad_left(&cells[n], head[n].width())
        }));
    }
    columns(&rows, terminal_width())
}

/// The record with scores, glyphs, better lines and rulings on repetitions.
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
    record.set_tag("Annotator", concat!("Chuhe ", env!("CARGO_PKG_VERSION")));
    let line: Vec<NodeId> = record.moves.line(ROOT).collect();
    for repetition in &review.repetitions {
        if let Some(id) = repetition.ply.checked_sub(1).and_then(|n| line.get(n)) {
            append(&mut record.moves[*id].comment, &repetition.text);
        }
    }
    for (id, reviewed) in line.into_iter().zip(&review.moves) {
        let Some(verdict) = &reviewed.verdict else {
            continue;
        };
        let node = &mut record.moves[id];
        node.glyphs.extend(verdict.grade.glyph());
        let comment = format!("{} {}", node.comment.trim(), comment(verdict));
        node.comment = comment.trim_start().to_owned();
        if verdict.better().is_some() {
            let before = record.moves.parent(id).unwrap_or(ROOT);
            record.add_line(before, verdict.line());
        }
    }
    record
}

/// The comment of a move, such as `[%eval -1.35,12] mistake (-11 %)`: the score for red and the depth.
fn comment(verdict: &MoveVerdict) -> String {
    let score = match verdict.score.meaning() {
        Meaning::Evaluation(score) => format!("{:.2}", f64::from(score) / 100.0),
        // This tag counts mates in moves.
        Meaning::Mates(plies) => format!("#{}", plies.div_ceil(2)),
        Meaning::Mated(plies) => format!("#-{}", plies.div_ceil(2)),
    };
    let mut comment = format!("[%eval {score},{}]", verdict.found.depth);
    if verdict.grade.glyph().is_some() {
        comment += &format!(" {} (-{:.0} %)", verdict.grade.word(), verdict.lost);
    }
    comment
}

impl MoveVerdict {
    /// The best move, if the move played is marked as an error.
    pub fn better(&self) -> Option<Move> {
        let best = self.found.line.first().copied();
        best.filter(|_| self.grade.glyph().is_some())
    }

    /// The beginning of the best line.
    pub fn line(&self) -> &[Move] {
        let line = &self.found.line;
        &line[..line.len().min(LINE_LENGTH)]
    }
}
