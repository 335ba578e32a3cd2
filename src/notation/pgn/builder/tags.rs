//! Tags and headings.

use super::Builder;
use crate::notation::LineError;
use crate::notation::fen::{self, begins_with_board};
use crate::notation::raw::{RecordError, date_tag, is_derived_tag, read_result, tag_name};
use crate::notation::tree::{GameResult, LostPart};
use crate::text::excerpt;

/// In a game with this many tags or more, a heading no longer replaces an earlier tag with the same name, and a tag
/// `Game` does not become the title. Otherwise the searches among the tags would take quadratic time.
const MAX_COMPARED_TAGS: usize = 1000;

/// Names of xiangqi in lower case, without blanks.
const NAMES_OF_XIANGQI: [&str; 9] = [
    "xiangqi",
    "chinesechess",
    "chinese",
    "cchess",
    "xq",
    "cờtướng",
    "象棋",
    "中国象棋",
    "中國象棋",
];

/// Whether the value of a tag `Variant` or `Game` consists of names of xiangqi, such as `Xiangqi (Chinese Chess)`, or
/// is empty or `?`.
fn is_name_of_xiangqi(value: &str) -> bool {
    let name = value.to_lowercase().replace([' ', '-', '_'], "");
    let mut parts = name.split(['(', ')', '（', '）', '/', '?']).filter(|part| !part.is_empty());
    parts.all(|part| NAMES_OF_XIANGQI.contains(&part))
}

/// Whether a tag of this name has the starting position if there is no tag `FEN`.
fn is_name_of_start(name: &str) -> bool {
    let names =
        ["StartFEN", "StartPosition", "StartingPosition", "InitialFEN", "Position", "Setup"];
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

impl Builder {
    /// Reports a damaged tag. If it is a FEN, the game is rejected, because its starting position is unknown.
    pub(super) fn add_unclosed_tag(&mut self, text: &str, line: usize) {
        let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '_';
        let name = text[1..].trim_start().split(is_end).next().unwrap_or_default();
        if name.eq_ignore_ascii_case("FEN") {
            self.has_fen = true;
            self.reject(line, "unclosed tag");
        } else {
            self.add_problem(line, "unclosed tag", LostPart::Other);
        }
    }

    pub(super) fn add_tag(&mut self, name: &str, value: String, line: usize) {
        let name = tag_name(name);
        let name = name.as_str();
        if name.eq_ignore_ascii_case("FEN") {
            self.has_fen = true;
            match fen::parse_position(fen::of_record(&value)) {
                Ok(start) => self.game.start = start,
                Err(error) => self.reject(line, LineError::Start(error)),
            }
        } else if name.eq_ignore_ascii_case("Result") {
            self.result = self.result_of_tag(&value, line);
        } else if name.eq_ignore_ascii_case("Variant") && !is_name_of_xiangqi(&value) {
            let value = excerpt(&value);
            self.reject(line, format!("the variant {value:?} is not xiangqi"));
        } else if name.eq_ignore_ascii_case("Game") {
            // Some programs write the title into this tag.
            let may_be_title =
                self.game.tags.len() < MAX_COMPARED_TAGS && !is_name_of_xiangqi(&value);
            if may_be_title && self.game.tag("Title").is_none() {
                self.add_tag("Title", value, line);
            }
        } else if !is_derived_tag(name) {
            if !self.has_fen && is_name_of_start(name) && begins_with_board(&value) {
                match fen::parse_position(&value) {
                    Ok(start) => self.game.start = start,
                    Err(error) => {
                        let error = RecordError::at(line, LineError::Start(error));
                        self.start_error.get_or_insert(error);
                    }
                }
            }
            self.text_size += name.len() + value.len();
            self.game.tags.push((name.to_owned(), value));
        }
    }

    /// The result in a tag or heading. An unreadable value is reported if the game has no other result.
    fn result_of_tag(&mut self, value: &str, line: usize) -> Option<GameResult> {
        let read = read_result(value);
        self.unread_result = read.as_ref().err().map(|reason| RecordError::at(line, reason));
        read.ok().flatten()
    }

    /// Adds a heading. If several have the same tag, the last one counts.
    pub(super) fn add_heading(&mut self, tag: &str, value: &str, line: usize) {
        match tag {
            "Result" => match self.result_of_tag(value, line) {
                Some(result) if self.has_moves() => self.end(result, line),
                Some(result) => self.result = Some(result),
                None => {}
            },
            "FEN" if !value.contains('/') && value != "startpos" => {
                let reason = "the starting position is a diagram, which cannot be read";
                self.reject(line, reason);
            }
            _ if value.is_empty() => {}
            _ => {
                let tags = &mut self.game.tags;
                if tags.len() < MAX_COMPARED_TAGS {
                    tags.retain(|(name, _)| !name.eq_ignore_ascii_case(tag));
                }
                self.add_tag(tag, date_tag(tag, value), line);
            }
        }
    }

    /// Reports the tags with positions that are not used, if there is no tag `FEN`.
    pub(super) fn note_unused_positions(&mut self) {
        if self.has_fen {
            return;
        }
        let is_unused = |(name, value): &&(String, String)| {
            let name = name.to_lowercase();
            let is_of_end = ["end", "final", "last"].iter().any(|part| name.contains(part));
            begins_with_board(value) && !is_name_of_start(&name) && !is_of_end
        };
        let unused: Vec<String> =
            self.game.tags.iter().filter(is_unused).map(|(name, _)| excerpt(name)).collect();
        for name in unused {
            let reason = format!(
                "the position in the tag {name} is not used, because the tag is not named FEN"
            );
            self.game.add_problem(reason, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::{BIG5, GBK, UTF_8};

    use crate::notation::MoveStyle;
    use crate::notation::pgn::tests::{check_error, read_one};
    use crate::notation::pgn::{GameResult, PgnReader, read};
    use crate::notation::tree::ROOT;

    #[test]
    fn damaged_tags_with_positions_do_not_lose_the_position() {
        let fen = "3k5/9/9/9/9/9/9/9/R8/4K4 w - - 0 1";
        for tag in [
            format!("[FEN {fen}]"),
            format!("[FEN '{fen}']"),
            format!("[FEN \"{fen}\""),
            format!("[FEN \"{fen}]"),
            format!("[FEN “{fen}]"),
            format!("[FEN=\"{fen}\"]"),
            format!("[FEN: \"{fen}\"]"),
            format!("[fen: {fen}]"),
            format!("[StartFEN \"{fen}\"]"),
            format!("[Position \"{fen}\"]"),
        ] {
            let text = format!("[Red \"甲\"]\n{tag}\n\n1. R9+1 K4+1 *");
            let game = read_one(&text);
            assert_eq!(game.main_line().coordinates(), "a1a2 d9d8", "{tag}");
            assert!(game.start.to_string().starts_with("3k5/"), "{tag}");
        }
        for tag in
            ["[FEN \"3k5/9/9/9/9/9/9/9/R8/4K4", "[fen {}", "[FEN x]", "[FEN 9/9] [Red \"a\"]"]
        {
            check_error(&format!("{tag}\n\n1. h2e2"), "line 1: ");
        }
        let invalid = "[Position \"9/9/9/9/9/9/9/9/9/9 w\"]";
        assert!(read(&format!("{invalid}\n\n1. h2e2 *"))[0].is_err());
        let game = read_one(&format!("{invalid}\n[FEN \"{fen}\"]\n\n1. R9+1 *"));
        assert_eq!(game.plies(), 1);
        assert_eq!(read_one("FEN：startpos\n1. h2e2").plies(), 1);
        let text = "[Red \"a\"]\n[FENSource \"web\n\n1. h2e2 *";
        let game = PgnReader::new(text.as_bytes()).next().unwrap().unwrap();
        assert_eq!((game.plies(), game.problems.len()), (1, 1));
        let games = read("1. h2e2 h9g7\n[Red wins]\n");
        assert!(games[0].is_ok() && games[1].is_err());
        // The position after a move, among the moves.
        let board = "r1bakabnr/9/1cn4c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w";
        let game = read_one(&format!(
            "[Event \"a\"]\n\n1. 炮二平五 马2进3\n{board}\n2. 马二进三 车9进1 1-0"
        ));
        assert_eq!(game.main_line().coordinates(), "h2e2 b9c7 h0g2 i9i8");
        for (name, problems) in [("Board", 1), ("EndFEN", 0)] {
            let game = read_one(&format!("[{name} \"{fen}\"]\n\n1. h2e2 *"));
            assert_eq!(game.problems.len(), problems, "{name}");
        }
        for tag in ["[Red Li]", "[Red 'Li']", "[red_player \"Li\"]"] {
            let game = read_one(&format!("[Event \"a\"]\n{tag}\n\n1. h2e2 *"));
            assert_eq!((game.tag("Red"), game.plies()), (Some("Li"), 1), "{tag}");
        }
    }

    #[test]
    fn typographic_quotation_marks_around_values_are_read() {
        let text = "[Event “第“五羊”杯”]\n[Red „甲[1]“ ]\n[Black 「乙」][Result ”1-0”]\n\n1. h2e2\n\n\
            [Red “丙”]\n\n1. c3c4";
        let games = read(text);
        let [Ok(first), Ok(second)] = &games[..] else {
            panic!("{games:?}");
        };
        let tags = ["Event", "Red", "Black"].map(|name| first.tag(name));
        assert_eq!(tags, [Some("第“五羊”杯"), Some("甲[1]"), Some("乙")]);
        assert_eq!(first.result, GameResult::RedWins);
        assert_eq!(second.tag("Red"), Some("丙"));
        for note in ["[此着“妙”]", "\n[此着“妙”]\n"] {
            let game = read_one(&format!("1. h2e2 {note} h9g7"));
            assert_eq!(game.comments(), ["此着“妙”", ""], "{note}");
        }
        let text = "[Event “甲”]\n\n1. h2e2 {未完\n\n[Event “乙”]\n\n1. c3c4 *";
        for encoding in [UTF_8, GBK, BIG5] {
            let (bytes, ..) = encoding.encode(text);
            let games = PgnReader::with_encoding(&*bytes, encoding);
            let events: Vec<_> =
                games.map(|game| game.unwrap().tag("Event").map(str::to_owned)).collect();
            let expected = ["甲", "乙"].map(|event| Some(event.to_owned()));
            assert_eq!(events, expected, "{encoding:?}");
        }
        check_error("[Red “甲]\n\n1. h2e2", "line 1: unclosed tag");
    }

    #[test]
    fn characters_that_names_cannot_have_are_removed() {
        let text = "[Ga me \"Chinese Chess\"]\n[Resu lt \"1-0\"]\n\
            [Red\u{3000}\u{200b}Team \"A\"]\n[a::b \"c\"]\n\n1. H2-E2 *\n";
        let game = read_one(text);
        assert_eq!((game.result, game.tags.len()), (GameResult::RedWins, 2));
        let tags = ["RedTeam", "ab"].map(|name| game.tag(name));
        assert_eq!(tags, [Some("A"), Some("c")]);
        let written = game.write_pgn(MoveStyle::Iccs);
        assert_eq!(read_one(&written).write_pgn(MoveStyle::Iccs), written);
    }

    #[test]
    fn unreadable_results_are_reported() {
        use GameResult::{BlackWins, Draw, RedWins, Unfinished};
        for (value, result, is_reported) in [
            ("2-0", RedWins, false),
            ("2：0 (超时)", RedWins, false),
            ("1-1", Draw, false),
            ("0–2", BlackWins, false),
            ("1-0 (resign)", RedWins, false),
            ("W", Unfinished, true),
            ("2-1", Unfinished, true),
            ("多种结果", Unfinished, true),
            ("", Unfinished, false),
            ("?", Unfinished, false),
            ("*", Unfinished, false),
            ("未知", Unfinished, false),
        ] {
            for text in [
                format!("[Result \"{value}\"]\n\n1. h2e2 *"),
                format!("红方：甲\n结果：{value}\n1. 炮二平五"),
            ] {
                let game = read_one(&text);
                let problems: Vec<_> = game.problems.iter().map(|p| &*p.reason).collect();
                assert_eq!(game.result, result, "{text}");
                assert_eq!(problems.len(), usize::from(is_reported), "{text}: {problems:?}");
                let is_of_result = |text: &&str| text.contains(&format!("the result {value:?} "));
                assert!(problems.iter().all(is_of_result), "{problems:?}");
            }
        }
        let game = read_one("[Result \"W\"]\n\n1. h2e2 1-0");
        assert_eq!((game.result, game.problems.len()), (RedWins, 0));
        assert!(read("[Result \"W\"]\n[FEN \"3k5/9/9/9/9/9/9/9/R8/4K4 w\"]\n\n*")[0].is_ok());
    }

    #[test]
    fn games_of_other_variants_are_rejected() {
        for variant in ["XIANGQI", "象棋", "Xiangqi (Chinese Chess)", "?", ""] {
            let text = format!("[Variant \"{variant}\"]\n\n1. C2=5 *");
            assert_eq!(read_one(&text).plies(), 1);
        }
        for variant in ["Jieqi", "揭棋", "Minixiangqi", "Standard"] {
            let text = format!(
                "[Red \"a\"]\n[variant \"{variant}\"]\n\nhello world 1. C2=5 *\n\n\
                 [Red \"b\"]\n\n1. C2=5 *\n"
            );
            let mut reader = PgnReader::new(text.as_bytes());
            let [rejected, other] = &reader.by_ref().collect::<Vec<_>>()[..] else {
                panic!("{text}");
            };
            assert_eq!(reader.skipped_lines(), 0, "{text}");
            let error = rejected.as_ref().unwrap_err().to_string();
            assert_eq!(error, format!("line 2: the variant \"{variant}\" is not xiangqi"));
            assert_eq!(other.as_ref().unwrap().tag("Red"), Some("b"));
        }
    }

    #[test]
    fn english_and_vietnamese_headings_and_results_are_read() {
        for (result, expected) in [
            ("Red wins", GameResult::RedWins),
            ("Red wins.", GameResult::RedWins),
            ("(Black won)", GameResult::BlackWins),
            ("Black resigns\n", GameResult::RedWins),
            ("Black resigned", GameResult::RedWins),
            ("Red resigned.", GameResult::BlackWins),
            ("黑先和", GameResult::Draw),
            ("黑方和棋", GameResult::Draw),
            ("后手和", GameResult::Draw),
            ("Draw", GameResult::Draw),
            ("(draw)", GameResult::Draw),
            ("(đỏ thắng)", GameResult::RedWins),
            ("Hòa", GameResult::Draw),
        ] {
            let game = read_one(&format!("Red: Xu Chao\nĐen: B\n\n1. C2=5 H8+7 {result}"));
            assert_eq!((game.plies(), game.result), (2, expected), "{result}");
            assert_eq!((game.tag("Red"), game.tag("Black")), (Some("Xu Chao"), Some("B")));
            assert!(game.comments().iter().all(String::is_empty));
        }
        let games =
            read("Event: a\nResult: Red wins\n1. C2=5\n\nEvent: b\nKết quả: Hòa\n1. C2=5\n");
        let results = games.iter().map(|game| game.as_ref().unwrap().result);
        assert!(results.eq([GameResult::RedWins, GameResult::Draw]));
    }

    #[test]
    fn titles_in_the_tag_game_are_kept() {
        for (tags, title) in [
            ("[Game \"中炮对屏风马\"]", Some("中炮对屏风马")),
            ("[Title \"a\"]\n[Game \"b\"]", Some("a")),
            ("[Game \"Chinese Chess\"]", None),
        ] {
            let game = read_one(&format!("{tags}\n\n1. C2=5 *"));
            assert_eq!(game.tag("Title"), title);
            assert_eq!(game.tags.len(), usize::from(title.is_some()));
        }
    }

    #[test]
    fn moves_after_headings_in_brackets_are_read() {
        let text = "[赛事：五羊杯] [轮次：3] 1. 炮二平五 {好} [稳健]\n[赛事：甲级联赛]\n[红方姓名：甲]1. 炮八平五";
        let games = read(text);
        let [Ok(first), Ok(second)] = &games[..] else {
            panic!("{games:?}");
        };
        let tags = ["Event", "Round"].map(|name| first.tag(name));
        assert_eq!(tags, [Some("五羊杯"), Some("3")]);
        assert_eq!(first.plies(), 1);
        assert_eq!(first.comments(), ["好\n稳健"]);
        let tags = ["Event", "Red"].map(|name| second.tag(name));
        assert_eq!((tags, second.plies()), ([Some("甲级联赛"), Some("甲")], 1));
    }

    #[test]
    fn titles_do_not_belong_to_the_game_before_them() {
        for title in [
            "第2轮 李来群 0-1 杨官璘",
            "第2轮 李来群 先负 杨官璘 黑胜",
            "全国象棋个人赛\n第2轮 马仲威 0-1 杨官璘",
            "许银川 (红先和) 吕钦",
            "许银川 先和 吕钦",
            "Round 2: Li Laiqun - Yang Guanlin 1/2-1/2",
            "Game 2: A vs B, 0-1",
        ] {
            for (end, result) in [("1-0", GameResult::RedWins), ("", GameResult::Unfinished)] {
                let text = format!(
                    "第1轮 胡荣华 1-0 柳大华\n1. 炮二平五 马8进7 2. 马二进三 车9平8 {end}\n\n\
                     {title}\n1. 兵七进一 炮8平5 2. 炮八平五 马8进7 0-1\n"
                );
                let games = read(&text);
                let [Ok(first), Ok(second)] = &games[..] else {
                    panic!("{title}: {games:?}");
                };
                assert_eq!((first.plies(), first.result), (4, result), "{title}");
                assert!(first.comments().iter().all(String::is_empty), "{title}");
                assert_eq!((second.plies(), second.result), (4, GameResult::BlackWins), "{title}");
                let comment = if end.is_empty() { title } else { "" };
                assert_eq!(second.moves[ROOT].comment, comment);
            }
        }
        let games =
            read("[Red \"a\"]\n\n1. h2e2 1-0\n\nRound 2: A - B 0-1\n[Red \"b\"]\n\n1. h2e2");
        assert_eq!(games[0].as_ref().unwrap().result, GameResult::RedWins);
        // A move that cannot be read, and text with moves.
        for line in ["车9ping8", "如改走炮8平5", "炮8乎5 好"] {
            let text = format!("1. 炮二平五 马8进7 2. 马二进三\n{line}\n1. 兵七进一 炮8平5");
            let games = read(&text);
            assert_eq!(games.len(), 2, "{line}");
            assert_eq!(games[1].as_ref().unwrap().moves[ROOT].comment, "", "{line}");
        }
    }

    #[test]
    fn quotation_marks_and_backslashes_in_values_are_kept() {
        for (text, value) in [
            ("首届\"味极王杯\"象棋精英赛 004", "首届\"味极王杯\"象棋精英赛 004"),
            ("\"胡司令\" 荣华", "\"胡司令\" 荣华"),
            (r#"a \"b\" \\"#, r#"a "b" \"#),
            (r"D:\games\1.pgn", r"D:\games\1.pgn"),
            ("[a]", "[a]"),
            ("", ""),
        ] {
            let game = read_one(&format!("[Event \"{text}\" ] [Red \"x\"]\n\n1. h2e2 *"));
            assert_eq!((game.tag("Event"), game.tag("Red")), (Some(value), Some("x")));
            assert_eq!(read_one(&game.write_pgn(MoveStyle::Iccs)).tag("Event"), Some(value));
        }
    }
}
