//! The language of messages: a table of texts for each language.

use std::sync::OnceLock;

use clap::ValueEnum;

use super::locale;
use crate::board::Color;

/// A language of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// English
    En,
    /// 中文
    Zh,
}

static LANGUAGE: OnceLock<Language> = OnceLock::new();

impl Language {
    /// The language of the locale.
    fn of_locale() -> Self {
        let is_chinese = locale().is_some_and(|name| name.to_ascii_lowercase().starts_with("zh"));
        if is_chinese { Self::Zh } else { Self::En }
    }

    /// Chooses the language of all messages; `None` for that of the locale. Has an effect once.
    pub fn choose(language: Option<Self>) {
        let _ = LANGUAGE.set(language.unwrap_or_else(Self::of_locale));
    }

    /// The chosen language; English by default, for tests.
    pub fn chosen() -> Self {
        LANGUAGE.get().copied().unwrap_or(Self::En)
    }

    fn texts(self) -> &'static Texts {
        match self {
            Self::En => &ENGLISH,
            Self::Zh => &CHINESE,
        }
    }
}

/// The texts of the chosen language.
pub fn texts() -> &'static Texts {
    Language::chosen().texts()
}

/// Declares the texts in both languages, so that none can be missing in one of them.
macro_rules! texts {
    ($($name:ident: $english:literal, $chinese:literal;)+) => {
        /// Messages. In those with `{}`, [`fill`] replaces each `{}` by a value.
        pub struct Texts { $(pub $name: &'static str),+ }

        const ENGLISH: Texts = Texts { $($name: $english),+ };
        const CHINESE: Texts = Texts { $($name: $chinese),+ };

        #[cfg(test)]
        const PAIRS: &[(&str, &str, &str)] = &[$((stringify!($name), $english, $chinese)),+];
    };
}

texts! {
    // Sides and ends of games.
    red: "red", "红方";
    black: "black", "黑方";
    checkmated: "{} is checkmated (将死), {} wins", "{}被将死，{}胜";
    stalemated: "{} has no legal move (困毙), {} wins", "{}被困毙，{}胜";
    resigned: "{} resigns, {} wins", "{}认输，{}胜";
    out_of_time: "{} has run out of time, {} wins", "{}超时，{}胜";
    agreed: "draw by agreement", "双方议和";
    by_rule: "by the rules ({}) this is {}: {}", "按棋规（{}）{}：{}";
    drawn: "a draw", "判和";
    lost_for_red: "lost for red", "红方判负";
    lost_for_black: "lost for black", "黑方判负";
    repetition: "repetition", "循环反复";
    insufficient_material: "insufficient material", "双方均无进攻子力";
    no_capture_limit: "no-capture limit", "自然限着";
    // chuhe analyse
    depth: "depth", "深度";
    score: "score", "分数";
    time: "time", "时间";
    nodes: "nodes", "节点";
    line_to_move: "line ({} to move)", "变例（{}走）";
    line: "line", "变例";
    best: "best", "最佳";
    win_draw_loss: "win/draw/loss", "胜/和/负";
    // chuhe review
    ply: "ply", "着数";
    played: "move", "着法";
    lost: "lost", "损失";
    better: "better", "更好";
    moves: "moves", "着法数";
    accuracy: "accuracy", "准确率";
    lost_per_move: "lost per move", "平均损失";
    inaccuracies: "inaccuracies", "缓着";
    mistakes: "mistakes", "失着";
    blunders: "blunders", "败着";
    best_move: "best", "最佳";
    inaccuracy: "inaccuracy", "缓着";
    mistake: "mistake", "失着";
    blunder: "blunder", "败着";
    game_number: "Game {}: {}", "第 {} 局：{}";
    opening: "Opening: {}", "开局：{}";
    after_ply: "After ply {}: {}.", "第 {} 步后：{}。";
    // chuhe play
    type_a_move: "Type a move, or `help`.", "请输入着法，或输入 `help`。";
    i_play: "I play {}{} ({} s).", "我走 {}{}（{} 秒）。";
    from_the_book: ", from the book", "（开局库）";
    check: "Check!", "将军！";
    game_over: "The game is over: {}. `new` starts another one.", "对局已结束：{}。`new` 开始新的一局。";
    see_help: "{}. Type `help` for the commands.", "{}。输入 `help` 查看命令。";
    nothing_to_take_back: "There is no move to take back.", "没有可悔的着法。";
    for_the_side_to_move: "{} for the side to move", "{}（走子方）";
    too_early_for_a_draw: "I decline: it is too early for a draw.", "不同意：现在议和太早。";
    better_position: "I decline: my position is better.", "不同意：我方局面占优。";
    invalid_fen: "Invalid FEN: {}", "FEN 无效：{}";
    saved_to: "Saved to {}.", "已保存到 {}。";
    loaded: "Loaded.", "已载入。";
    make_engine_play: "`engine red` or `engine black` makes the engine play.", "`engine red` 或 `engine black` 让引擎执红或执黑。";
    play_help: "\
h2e2, 炮二平五, C2=5     a move
hint                     the best move
analyse [SECONDS]        the best line with its score
eval                     the evaluation without a search
undo                     takes your last move and the reply back
moves                    the moves of the game
board, flip, fen         shows the board, turns it, shows its FEN
level time SECONDS | depth N | elo POINTS
engine red | black | none   the side of the engine
new [FEN]                a new game
draw, resign             offers a draw, gives up
save FILE                the game as PGN, or its position as .fen
load FILE                a PGN (FILE:3 is the third game), or a .fen
quit", "\
炮二平五, h2e2, C2=5     走一着
hint                     提示最佳着法
analyse [秒]             最佳变例及分数
eval                     不搜索的静态评分
undo                     悔棋（双方各一着）
moves                    本局着法
board, flip, fen         显示棋盘、翻转棋盘、显示 FEN
level time 秒 | depth 层数 | elo 等级分
engine red | black | none   引擎执红、执黑或不走
new [FEN]                新的一局
draw, resign             提和、认输
save 文件                保存为 PGN，或把局面保存为 .fen
load 文件                载入 PGN（文件:3 为第三局）或 .fen
quit                     退出";
}

impl Texts {
    pub fn side(&self, color: Color) -> &'static str {
        match color {
            Color::Red => self.red,
            Color::Black => self.black,
        }
    }
}

/// Replaces each `{}` of a text by the next value.
pub fn fill(text: &str, values: &[&str]) -> String {
    let mut parts = text.split("{}");
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for (n, part) in parts.enumerate() {
        filled += values.get(n).copied().unwrap_or_default();
        filled += part;
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_have_the_same_placeholders() {
        for (name, english, chinese) in PAIRS {
            let count = |text: &str| text.matches("{}").count();
            assert_eq!(count(english), count(chinese), "{name}");
            let is_chinese = !chinese.is_ascii();
            assert!(is_chinese && !english.is_empty(), "{name}");
        }
    }

    #[test]
    fn values_are_filled_in_order() {
        assert_eq!(fill("a {} b {}", &["1", "2"]), "a 1 b 2");
        assert_eq!(fill("{}", &["{}"]), "{}");
        assert_eq!(fill("none", &[]), "none");
    }
}
