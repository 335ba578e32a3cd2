//! The web page of `chuhe board`, `chuhe serve` and `chuhe review --html`: plain HTML, CSS and JavaScript modules.
//!
//! The servers send the modules as separate files. For a page without a server, [`single_file`] joins them into one
//! script. Therefore no two modules may declare the same name at their top level, and each import must be on one line.

use std::collections::HashMap;
use std::fmt::Write;

use percent_encoding::{NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use serde_json::{Value, json};

use crate::notation::fen;
use crate::notation::tree::{GameTree, NodeId, ROOT};
use crate::text::escape_html;

/// The page without its data.
const INDEX: &str = include_str!("index.html");
/// The placeholder of the data in [`INDEX`].
const DATA: &str = "{{data}}";
const STYLE: &str = include_str!("page.css");
/// The elements of [`INDEX`] that load files.
const STYLE_LINK: &str = "<link rel=\"stylesheet\" href=\"page.css\">";
const ICON_LINK: &str = "<link rel=\"icon\"";
const PRELOAD_LINK: &str = "<link rel=\"modulepreload\"";
const SCRIPT_LINK: &str = "<script src=\"main.js\" type=\"module\"></script>";

/// The JavaScript modules; each imports only from modules before it.
const MODULES: [(&str, &str); 13] = [
    ("rules.js", include_str!("rules.js")),
    ("game.js", include_str!("game.js")),
    ("texts.js", include_str!("texts.js")),
    ("board.js", include_str!("board.js")),
    ("study.js", include_str!("study.js")),
    ("server.js", include_str!("server.js")),
    ("files.js", include_str!("files.js")),
    ("knowledge.js", include_str!("knowledge.js")),
    ("editor.js", include_str!("editor.js")),
    ("review.js", include_str!("review.js")),
    ("engine.js", include_str!("engine.js")),
    ("library.js", include_str!("library.js")),
    ("main.js", include_str!("main.js")),
];

/// The content security policy, which keeps the page from loading anything from other servers.
pub const POLICY: &str =
    "default-src 'self'; img-src 'self' blob: data:; frame-ancestors 'none'; base-uri 'none'";

/// The text of a file of the page; `None` for unknown names and for `index.html`, which [`index`] makes.
pub fn file(name: &str) -> Option<&'static str> {
    match name {
        "page.css" => Some(STYLE),
        "icon.svg" => Some(include_str!("icon.svg")),
        _ => {
            let module = MODULES.into_iter().find(|(module, _)| *module == name);
            module.map(|(_, text)| text)
        }
    }
}

/// `index.html` for one use of the page on a server: `board`, `board library` or `library`.
pub fn index(usage: &str) -> String {
    INDEX.replace(DATA, &data(usage, &[]))
}

/// The data of the page as JSON. `<` is escaped, so that no text can end the element that contains the data.
fn data(usage: &str, games: &[Value]) -> String {
    let data = json!({ "use": usage, "games": games }).to_string();
    data.replace('<', "\\u003c")
}

/// A page with games in one file, which needs no server.
pub fn single_file(title: &str, games: &[Value]) -> String {
    let lines = MODULES.iter().flat_map(|(_, text)| text.lines());
    let lines = lines.filter(|line| !line.starts_with("import "));
    let lines = lines.map(|line| line.strip_prefix("export ").unwrap_or(line));
    let script: String = lines.flat_map(|line| [line, "\n"]).collect();
    let is_needed = |line: &&str| !line.starts_with(PRELOAD_LINK) && !line.starts_with(ICON_LINK);
    let lines: Vec<&str> = INDEX.lines().filter(is_needed).collect();
    // The data is inserted before the title, because the title may contain the placeholder. The later replacements do
    // not change the data, because it contains no `<`.
    (lines.join("\n") + "\n")
        .replacen(DATA, &data("review", games), 1)
        .replace(STYLE_LINK, &format!("<style>\n{STYLE}</style>"))
        .replace(SCRIPT_LINK, &format!("<script type=\"module\">\n{script}</script>"))
        .replace("<title>Chuhe 楚河", &format!("<title>{}", escape_html(title)))
}

/// A game for the page: its title and its text, see [`encode`].
pub fn game(tree: &GameTree, points: &[Option<f64>], ply: usize) -> Value {
    json!({ "title": title(tree), "text": encode(tree, points, ply) })
}

/// The title of a game: the players, or the event and the title if neither player is known, and the result.
pub fn title(tree: &GameTree) -> String {
    let players = match (["Red", "Black"].map(|name| tree.known_tag(name)), tree.name()) {
        ([None, None], Some(name)) => name,
        (players, _) => players.map(|name| name.unwrap_or("?")).join(" – "),
    };
    format!("{players}  {}", tree.result)
}

/// A step of [`encode`].
enum Step {
    /// The moves after a node, with their variations.
    After(NodeId),
    /// A node that begins a variation.
    Open(NodeId),
    /// The end of a variation.
    Close,
}

/// The text of a game, as `game.js` describes it. `points` are red's expected points, in percent, at the start and
/// after each ply of the main line, where known. The page shows the game after `ply` plies of the main line.
pub fn encode(tree: &GameTree, points: &[Option<f64>], ply: usize) -> String {
    let main_line = || std::iter::once(ROOT).chain(tree.moves.line(ROOT));
    let shown = main_line().nth(ply).unwrap_or(ROOT);
    let points = main_line().zip(points).filter_map(|(id, p)| Some((id, (*p)?)));
    let points: HashMap<NodeId, f64> = points.collect();
    let mut text = String::new();
    let start = fen::write_position(&tree.start);
    if start != fen::START {
        text += &start.replace(' ', "_");
    }
    text.push('~');
    let mut written = Vec::new();
    let mut push_node = |text: &mut String, id| {
        write_node(text, tree, id, &points);
        written.push(id);
    };
    push_node(&mut text, ROOT);
    let mut steps = vec![Step::After(ROOT)];
    while let Some(step) = steps.pop() {
        match step {
            Step::Close => text.push(')'),
            Step::Open(id) => {
                text.push('(');
                push_node(&mut text, id);
            }
            Step::After(id) => {
                let children: Vec<NodeId> = tree.moves.children(id).collect();
                let Some((&first, variations)) = children.split_first() else {
                    continue;
                };
                push_node(&mut text, first);
                steps.push(Step::After(first));
                for &id in variations.iter().rev() {
                    steps.extend([Step::Close, Step::After(id), Step::Open(id)]);
                }
            }
        }
    }
    let index = written.iter().position(|id| *id == shown);
    let _ = write!(text, "@{}", index.unwrap_or(0));
    let result = ("Result".to_owned(), tree.result.text().to_owned());
    for (name, value) in tree.tags.iter().chain([&result]) {
        let _ = write!(text, ";{}={}", percent_encode(name), percent_encode(value));
    }
    text
}

/// Writes the move of a node with its glyphs, points and comment.
fn write_node(text: &mut String, tree: &GameTree, id: NodeId, points: &HashMap<NodeId, f64>) {
    let node = &tree.moves[id];
    // Writing to a string cannot fail.
    if let Some(played) = node.played {
        let _ = write!(text, "{played}");
    }
    for glyph in &node.glyphs {
        let _ = write!(text, "${glyph}");
    }
    if let Some(points) = points.get(&id) {
        let _ = write!(text, "!{points:.1}");
    }
    if !node.comment.is_empty() {
        let _ = write!(text, ":{}:", percent_encode(&node.comment));
    }
}

/// Encodes everything except ASCII letters and digits.
fn percent_encode(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, NON_ALPHANUMERIC)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::records::RecordReader;

    #[test]
    fn games_are_encoded_with_variations_and_comments() {
        let pgn = "[Red \"A~;=\"]\n\n{before} 1. h2e2 $2 {a: b} (1. b2e2 h9g7 (1... b9c7)) (1. c3c4) h9g7 1-0\n";
        let mut games = RecordReader::new(pgn.as_bytes()).unwrap();
        let tree = games.next().unwrap().unwrap();
        assert_eq!(
            encode(&tree, &[None, Some(53.25)], 0),
            "~:before:h2e2$2!53.2:a%3A%20b:(b2e2h9g7(b9c7))(c3c4)h9g7@0;Red=A%7E%3B%3D;Result=1%2D0"
        );
        // The nodes are counted as they are written.
        assert!(encode(&tree, &[], 2).contains("h9g7@6;"));
    }

    #[test]
    fn modules_can_be_joined() {
        for (name, text) in MODULES {
            for line in text.lines().filter(|line| line.starts_with("import ")) {
                assert!(line.ends_with(".js';"), "{name}: {line}");
            }
            assert!(!text.contains("</script") && !text.contains("<!--"), "{name}");
        }
        let page =
            single_file("A & {{data}}", &[json!({ "text": "</script>{{data}}<title>Chuhe 楚河" })]);
        assert!(page.contains("<title>A &amp; {{data}}</title>"));
        assert!(page.contains("\"\\u003c/script>{{data}}\\u003ctitle>Chuhe 楚河\""));
        assert_eq!(page.matches("</script>").count(), 2);
        assert!(!page.contains("\nimport ") && !page.contains("\nexport "));
        assert!(!page.contains("src=") && !page.contains("href="));
    }
}
