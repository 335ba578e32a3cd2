//! The standings as text, HTML and JSON.

use std::collections::VecDeque;
use std::path::Path;
use std::time::Duration;

use indicatif::HumanDuration;

use crate::board::{ByColor, Color};
use crate::cli::common::{
    Context, Failure, Language, after_space, heads, number_table, pad, translated,
};
use crate::text::{counted, escape_html, fill, has_extension, plies_text, texts};
use crate::tournament::stats::{
    Decision, Effect, Estimate, FactorRun, Interval, Rating, SprtRun, Standings, TunedValue,
    ratings,
};
use crate::tournament::{GameSummary, Handshake, JsonReport, Tournament, TournamentEnd};

/// Number of recent games in the status.
pub const RECENT_GAMES: usize = 50;
/// Refresh interval of the status page, in seconds.
const REFRESH: u32 = 10;

/// The settings of the match, printed before the first game.
pub fn heading(tournament: &Tournament, handshakes: &[Handshake]) -> String {
    let mut text = String::new();
    for (engine, handshake) in tournament.engines.iter().zip(handshakes) {
        let id_name = handshake.name.clone();
        let id_name = id_name.unwrap_or_else(|| translated("no id name").into_owned());
        let protocol = engine.protocol.unwrap_or_default();
        let protocol = protocol.to_string().to_uppercase();
        let detected = if handshake.detected.is_empty() {
            String::new()
        } else {
            let detected = handshake.detected.iter().map(|found| translated(found));
            let detected = detected.collect::<Vec<_>>().join(texts().comma);
            after_space(&translated(&format!("(detected: {detected})")))
        };
        let mut limits = engine.limit.texts();
        if engine.limit.clock.is_some() {
            limits[0].insert_str(0, "tc=");
        }
        let limits = limits.iter().map(|limit| translated(limit));
        let limit = limits.collect::<Vec<_>>().join(texts().comma);
        let parts = [id_name, protocol, limit].join(texts().clause_comma);
        text += &fill(texts().labeled, &[&engine.name, &parts]);
        text += &detected;
        text.push('\n');
    }
    let games = match tournament.total_games() {
        Some(games) => counted(games, "game"),
        None => "games until the SPRT decides".to_owned(),
    };
    text += &format!(
        "{games}, concurrency {}, {}, {} rules\n",
        tournament.concurrency,
        counted(tournament.openings.lines().len(), "opening"),
        tournament.rules.rules
    );
    if let Some(sprt) = &tournament.sprt {
        text += &format!("SPRT: {sprt}\n");
    }
    if let Some(factors) = &tournament.factors {
        text += &format!("factors: {}\n", factors.count());
    }
    if let Some(spsa) = &tournament.spsa {
        text += &format!("tuned parameters: {}\n", spsa.count());
    }
    text
}

/// The results so far in one line: wins, draws, losses, Elo and LLR of two engines, or the points of the best four.
pub fn summary(tournament: &Tournament, standings: &Standings) -> String {
    if tournament.engines.len() == 2 {
        return wins_draws_losses(&standings.of(0).games) + &short_estimate(standings);
    }
    let mut order = ranking(tournament, standings);
    order.truncate(4);
    let points = |number: &usize| {
        let name = &tournament.engines[*number].name;
        let scores = standings.of(*number);
        let share = scores.estimate().map_or(0.0, |e| 100.0 * e.score);
        format!("{name} {}/{} ({share:.0} %)", scores.points(), scores.count())
    };
    order.iter().map(points).collect::<Vec<_>>().join(texts().clause_comma)
}

/// Elo and LLR of a match of two engines.
fn short_estimate(standings: &Standings) -> String {
    let estimate = standings.of(0).estimate();
    // Elo or a bound is infinite while there are few games or one side has won all of them.
    let finite =
        estimate.filter(|e| [e.elo.value, e.elo.low, e.elo.high].iter().all(|e| e.is_finite()));
    let mut text = finite.map_or(String::new(), |e| format!("  Elo {}", elo(&e.elo)));
    if let Some(run) = &standings.sprt {
        let (lower, upper) = run.sprt.bounds();
        text += &format!("  LLR {} ({lower:.2}, {upper:.2})", llr(run.llr()));
    }
    text
}

/// The LLR with two decimals. Adding zero removes the sign of a negative zero.
fn llr(ratio: f64) -> String {
    format!("{:.2}", (100.0 * ratio).round() / 100.0 + 0.0)
}

/// The indexes of the engines, the best first: the winner of a knockout, then by score and Sonneborn-Berger score.
pub fn ranking(tournament: &Tournament, standings: &Standings) -> Vec<usize> {
    let mut order: Vec<usize> = (0..tournament.engines.len()).collect();
    let score = |number: usize| match standings.of(number).estimate() {
        _ if standings.winner == Some(number) => f64::INFINITY,
        estimate => estimate.map_or(-1.0, |e| e.score),
    };
    let tie_breaks = standings.sonneborn_berger();
    let tie = |a: usize, b: usize| tie_breaks[b].total_cmp(&tie_breaks[a]);
    order.sort_by(|a, b| score(*b).total_cmp(&score(*a)).then(tie(*a, *b)));
    order
}

/// Wins, draws and losses, as `+5 =3 -2`.
fn wins_draws_losses(&[losses, draws, wins]: &[u64; 3]) -> String {
    format!("+{wins} ={draws} -{losses}")
}

/// An Elo difference with its confidence interval, as `+12.5 [-3.1, +28.4]`.
pub fn elo(interval: &Interval) -> String {
    let number = |elo: f64| match elo {
        e if e == f64::INFINITY => "+∞".to_owned(),
        e if e == f64::NEG_INFINITY => "-∞".to_owned(),
        // The addition turns -0 into 0.
        e => format!("{:+.1}", (10.0 * e).round() / 10.0 + 0.0),
    };
    let Interval { value, low, high } = interval;
    format!("{} [{}, {}]", number(*value), number(*low), number(*high))
}

/// The report; `end` is `None` while games are played. Tables are at most `width` columns wide.
pub fn report(
    tournament: &Tournament,
    standings: &Standings,
    end: Option<TournamentEnd>,
    width: Option<usize>,
) -> String {
    use TournamentEnd::{Failed, Finished, Interrupted, SprtDecided};
    let heading = match end {
        None => "games in progress",
        Some(Finished) if tournament.sprt.is_some() => "all games played, the SPRT is undecided",
        Some(Finished) => "all games played",
        Some(SprtDecided) => "the SPRT has accepted a hypothesis",
        Some(Interrupted) => "interrupted",
        Some(Failed) => "stopped by an error",
    };
    format!("\n{heading}\n") + &results(tournament, standings, width)
}

fn results(tournament: &Tournament, standings: &Standings, width: Option<usize>) -> String {
    if standings.games() == 0 {
        return "no games\n".to_owned();
    }
    let mut text = match tournament.engines.len() {
        2 => duel(tournament, standings),
        _ => cross_table(tournament, standings, width),
    };
    if let Some(run) = &standings.factors {
        text += &effects(run, width);
    }
    if let Some(spsa) = &standings.spsa {
        let mut rows = vec![heads(["parameter", "start", "value"]).to_vec()];
        let row = |tuned: TunedValue| {
            let value = format!("{:.1}", tuned.value);
            vec![tuned.name, tuned.start.to_string(), value]
        };
        rows.extend(spsa.values().into_iter().map(row));
        text += &format!("\n{}", number_table(&rows, width));
    }
    text.push('\n');
    text += &engines(tournament, standings, width);
    let reasons = standings
        .reasons()
        .into_iter()
        .map(|(reason, n)| format!("{} {n}", translated(reason.name())));
    text += &format!(
        "end reasons: {}; {} per game\n",
        reasons.collect::<Vec<_>>().join(texts().comma),
        plies_text(format_args!("{:.0}", standings.mean_plies()))
    );
    if standings.void_games > 0 {
        text += &format!(
            "void games, replayed because the machine stalled: {}\n",
            standings.void_games
        );
    }
    if let Some(winner) = standings.winner {
        let name = &tournament.engines[winner].name;
        text += &format!("{name} wins the knockout\n");
    }
    text
}

fn duel(tournament: &Tournament, standings: &Standings) -> String {
    let scores = standings.of(0);
    let [first, second] = [0, 1].map(|n| &tournament.engines[n].name);
    let Some(estimate) = scores.estimate() else {
        return String::new();
    };
    let Estimate { score, los, draw_ratio, .. } = estimate;
    let mut text = format!(
        "{first} vs {second}: {}, {}, {} ({:.1} %)\n",
        counted(scores.count(), "game"),
        wins_draws_losses(&scores.games),
        counted(scores.points(), "point"),
        100.0 * score
    );
    let mut row = |label: &str, value: &str| {
        text += &format!("{}  {value}\n", pad(&translated(label), 10));
    };
    row("Elo", &format!("{}  (95 %)", elo(&estimate.elo)));
    row("nElo", &elo(&estimate.normalized_elo));
    row("LOS", &format!("{:.1} %", 100.0 * los));
    row("Draws", &format!("{:.1} %", 100.0 * draw_ratio));
    if !tournament.has_single_games {
        let pairs = scores.pairs.map(|n| n.to_string()).join(", ");
        row("Ptnml(0-2)", &format!("[{pairs}]"));
    }
    for (color, label) in [(Color::Red, "As red"), (Color::Black, "As black")] {
        let games = &standings.engine_stats()[0].by_color[color];
        row(label, &wins_draws_losses(games));
    }
    if let Some(run) = &standings.sprt {
        text += &sprt(run);
    }
    text
}

fn sprt(run: &SprtRun) -> String {
    let (lower, upper) = run.sprt.bounds();
    let unit = run.sprt.model.unit();
    let decision = match run.decision {
        None => "undecided".to_owned(),
        Some(Decision::H0) => format!("H0 accepted ({unit} <= {})", run.sprt.elo0),
        Some(Decision::H1) => format!("H1 accepted ({unit} >= {})", run.sprt.elo1),
    };
    let decision = translated(&decision);
    let pairs = counted(run.pairs.iter().sum::<u64>(), "pair");
    let pairs = format!("after {pairs}");
    format!(
        "SPRT        {}\nLLR         {} ({lower:.2}, {upper:.2}) {}: {decision}\n",
        run.sprt,
        llr(run.llr()),
        translated(&pairs)
    )
}

fn effects(run: &FactorRun, width: Option<usize>) -> String {
    let effects = run.effects();
    if effects.is_empty() {
        return "\ntoo few games to separate the factors\n".to_owned();
    }
    let mut rows = vec![heads(["factor", "Elo (95 %)"]).to_vec()];
    rows.extend(effects.into_iter().map(|Effect { name, elo: gain }| vec![name, elo(&gain)]));
    format!("\n{}", number_table(&rows, width))
}

const STANDINGS_HEADS: [&str; 8] = ["engine", "games", "+", "=", "-", "points", "%", "Elo (95 %)"];

fn standings_row(tournament: &Tournament, standings: &Standings, number: usize) -> [String; 8] {
    let scores = standings.of(number);
    let [losses, draws, wins] = scores.games;
    let estimate = scores.estimate();
    [
        tournament.engines[number].name.clone(),
        scores.count().to_string(),
        wins.to_string(),
        draws.to_string(),
        losses.to_string(),
        scores.points().to_string(),
        estimate.map_or(String::new(), |e| format!("{:.1}", 100.0 * e.score)),
        estimate.map_or(String::new(), |e| elo(&e.elo)),
    ]
}

/// The results of more than two engines, in total and against each opponent.
fn cross_table(tournament: &Tournament, standings: &Standings, width: Option<usize>) -> String {
    let order = ranking(tournament, standings);
    let ratings = ratings(standings);
    let sonneborn_berger = standings.sonneborn_berger();
    let mut rows = vec![heads(STANDINGS_HEADS).to_vec()];
    rows[0][0].clear();
    rows[0].extend([translated("rating").into_owned(), "SB".to_owned()]);
    rows[0].extend((1..=order.len()).map(|rank| rank.to_string()));
    for (rank, number) in (1..).zip(&order) {
        let mut row = standings_row(tournament, standings, *number).to_vec();
        row[0] = format!("{rank} {}", row[0]);
        let Rating { value, error } = ratings[*number];
        let error = format!("{error:.0}").replace("inf", "∞");
        row.push(format!("{value:+.0} ± {error}"));
        row.push(sonneborn_berger[*number].to_string());
        let against = |other: &usize| match standings.between(*number, *other) {
            scores if scores.count() == 0 => "·".to_owned(),
            scores => format!("{}/{}", scores.points(), scores.count()),
        };
        row.extend(order.iter().map(against));
        rows.push(row);
    }
    number_table(&rows, width)
        + "rating: Bradley-Terry from all results, mean 0, with 95 % error\n\
           SB: Sonneborn-Berger score, which ranks engines with the same percentage\n"
}

/// Moves, time, depth, speed, largest time overrun and forfeits of each engine.
fn engines(tournament: &Tournament, standings: &Standings, width: Option<usize>) -> String {
    let words = [
        "", "moves", "time", "ms/move", "depth", "nodes/s", "overrun", "illegal", "timeouts",
        "crashes",
    ];
    let mut rows = vec![heads(words).to_vec()];
    let or_unknown = |text: Option<String>| text.unwrap_or_else(|| "?".to_owned());
    let ms = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1e3);
    for (engine, stats) in tournament.engines.iter().zip(standings.engine_stats()) {
        rows.push(vec![
            engine.name.clone(),
            stats.moves.to_string(),
            format!("{:.1} s", stats.time.as_secs_f64()),
            or_unknown(stats.mean_time().map(ms)),
            or_unknown(stats.mean_depth().map(|d| format!("{d:.1}"))),
            or_unknown(stats.speed().map(|n| format!("{n:.0}"))),
            stats.overrun.map_or("-".to_owned(), |o| format!("{} ms", ms(o))),
            stats.illegal_moves.to_string(),
            stats.time_losses.to_string(),
            stats.crashes.to_string(),
        ]);
    }
    number_table(&rows, width)
}

/// The state of a tournament for the status file.
pub struct Status<'a> {
    pub tournament: &'a Tournament,
    pub standings: &'a Standings,
    pub games: &'a [GameSummary],
    /// The numbers and PGN of the last games.
    pub recent: &'a VecDeque<(u64, String)>,
    /// The canonical path of the file with all games.
    pub pgn: Option<&'a Path>,
    pub end: Option<TournamentEnd>,
    /// The estimated remaining time.
    pub left: Option<Duration>,
}

/// The address of a file relative to that of a page. Both paths are canonical.
fn relative_address(page: &Path, file: &Path) -> String {
    let folder = page.parent().unwrap_or(Path::new(""));
    let both = folder.components().zip(file.components());
    let common = both.take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| "..".to_owned());
    let names = file.components().skip(common).map(|part| {
        let name = part.as_os_str().to_string_lossy();
        let name = name.replace('%', "%25").replace('#', "%23");
        // The part before a colon would be read as the scheme of a URL.
        name.replace('?', "%3F").replace(':', "%3A")
    });
    up.chain(names).collect::<Vec<_>>().join("/")
}

const STYLE: &str = "body{font:16px/1.4 system-ui,sans-serif;max-width:70rem;margin:1rem auto;padding:0 1rem;\
    color:#222;background:#fdfcf8}table{border-collapse:collapse;margin:1rem 0}\
    th,td{padding:.2rem .7rem;border-bottom:1px solid #ddd;text-align:right}\
    th:first-child,td:first-child,td.text,th.text{text-align:left}tr:hover{background:#f3eedd}\
    pre{background:#f6f3ea;padding:.7rem;overflow-x:auto}progress{width:100%}\
    section{display:none}section:target{display:block}\
    @media(prefers-color-scheme:dark){body{color:#ddd;background:#1c1b18}pre{background:#282620}\
    th,td{border-color:#444}tr:hover{background:#333026}a{color:#8bf}}";

impl Status<'_> {
    /// The text for a file: HTML if its name ends with `.html`, otherwise JSON. `canonical` is its canonical path.
    pub fn text(&self, path: &Path, canonical: &Path) -> Result<String, Failure> {
        if has_extension(path, "html") {
            return Ok(self.page(canonical));
        }
        let report = JsonReport::new(
            self.tournament,
            self.standings,
            self.last_games(),
            self.end,
            self.left,
        );
        let text = serde_json::to_string_pretty(&report);
        Ok(text.context("--status")? + "\n")
    }

    fn last_games(&self) -> &[GameSummary] {
        &self.games[self.games.len().saturating_sub(RECENT_GAMES)..]
    }

    /// The page for a file, which reloads itself until the tournament ends.
    fn page(&self, path: &Path) -> String {
        let title = escape_html(&self.tournament.event);
        let refresh = match self.end {
            None => format!("<meta http-equiv=\"refresh\" content=\"{REFRESH}\">\n"),
            Some(_) => String::new(),
        };
        let played = self.standings.games();
        let mut count = match self.tournament.total_games() {
            Some(total) => format!("{played} of {total} games"),
            None => counted(played, "game"),
        };
        if let Some(left) = self.left {
            count += &format!(", about {:#} left", HumanDuration(left));
        }
        let count = translated(&count);
        let bar = self.tournament.total_games().map_or(String::new(), |total| {
            format!("<progress value=\"{played}\" max=\"{total}\"></progress>\n")
        });
        let pgn = self.pgn.map_or(String::new(), |pgn| {
            let address = escape_html(&relative_address(path, pgn));
            format!("<p><a href=\"{address}\">{}</a></p>\n", translated("all games (PGN)"))
        });
        let text = report(self.tournament, self.standings, self.end, None);
        let text = escape_html(&translated(&text));
        let sections = self.recent.iter().map(|(number, game)| {
            let game = escape_html(game);
            format!("<section id=\"game-{0}\"><pre>{game}</pre></section>\n", number + 1)
        });
        let sections: String = sections.collect();
        format!(
            "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n{refresh}\
             <meta name=\"viewport\" content=\"width=device-width\">\n\
             <title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
             <p>{count}</p>\n{bar}{}<pre>{text}</pre>\n{pgn}{sections}{}</body>\n</html>\n",
            Language::chosen().tag(),
            fill(texts().labeled, &[&title, &count]),
            self.standings_table(),
            self.games_table()
        )
    }

    fn standings_table(&self) -> String {
        let rows = ranking(self.tournament, self.standings).into_iter().map(|number| {
            let row = standings_row(self.tournament, self.standings, number);
            let cells = row.map(|cell| format!("<td>{}</td>", escape_html(&cell)));
            format!("<tr>{}</tr>\n", cells.concat())
        });
        let rows: String = rows.collect();
        let heads = heads(STANDINGS_HEADS).map(|head| format!("<th>{head}</th>"));
        format!("<table>\n<tr>{}</tr>\n{rows}</table>\n", heads.concat())
    }

    /// The last games, newest first, with links to the moves of those from this run.
    fn games_table(&self) -> String {
        let name = |player: usize| escape_html(&self.tournament.engines[player].name);
        let rows = self.last_games().iter().rev().map(|game| {
            let ByColor([red, black]) = game.players.map(name);
            let number = game.number + 1;
            let link = if self.recent.iter().any(|(recent, _)| *recent == game.number) {
                format!("<a href=\"#game-{number}\">{number}</a>")
            } else {
                number.to_string()
            };
            format!(
                "<tr><td>{link}</td><td class=\"text\">{red}</td><td class=\"text\">{black}</td><td>{}</td>\
                 <td class=\"text\">{}</td><td>{}</td></tr>\n",
                game.result,
                translated(game.reason.name()),
                game.plies
            )
        });
        let rows: String = rows.collect();
        let heads = ["game", "red", "black", "result", "reason", "plies"];
        let heads = heads.map(|head| {
            let class = match head {
                "red" | "black" | "reason" => " class=\"text\"",
                _ => "",
            };
            format!("<th{class}>{}</th>", translated(head))
        });
        format!("<table>\n<tr>{}</tr>\n{rows}</table>\n", heads.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_a_negative_zero() {
        for (ratio, text) in [(-0.0, "0.00"), (-0.004, "0.00"), (-0.006, "-0.01")] {
            assert_eq!(llr(ratio), text);
        }
        let interval = Interval { value: -0.04, low: -0.06, high: 0.04 };
        assert_eq!(elo(&interval), "+0.0 [-0.1, +0.0]");
    }

    #[test]
    fn addresses_are_relative_and_encoded() {
        let address = |page: &str, file: &str| relative_address(Path::new(page), Path::new(file));
        assert_eq!(address("/a/page.html", "/a/12:30?.pgn"), "12%3A30%3F.pgn");
        assert_eq!(address("/a/b/page.html", "/a/50%#.pgn"), "../50%25%23.pgn");
    }
}
