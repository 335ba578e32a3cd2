//! The language of messages: a table of texts for each language. Errors and rulings of the library use it as well, in
//! English unless another language is chosen.

use std::cell::Cell;
use std::sync::OnceLock;

/// A language of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Language {
    /// English
    En,
    /// 中文
    Zh,
}

static LANGUAGE: OnceLock<Language> = OnceLock::new();

thread_local! {
    static LANGUAGE_OF_THREAD: Cell<Option<Language>> = const { Cell::new(None) };
}

impl Language {
    /// The language of a locale such as `zh_CN.UTF-8`.
    pub fn of_locale(name: &str) -> Self {
        if name.to_ascii_lowercase().starts_with("zh") { Self::Zh } else { Self::En }
    }

    /// The language tag of HTML (BCP 47).
    pub const fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
        }
    }

    /// Sets the language of the messages of all threads without a language of their own. Only the first call has an
    /// effect.
    pub fn choose(language: Self) {
        let _ = LANGUAGE.set(language);
    }

    /// Sets the language of the messages of this thread.
    pub fn choose_for_thread(language: Self) {
        LANGUAGE_OF_THREAD.set(Some(language));
    }

    /// Runs `work` with messages in this language, then restores the language of the thread, even after a panic.
    pub fn within<T>(self, work: impl FnOnce() -> T) -> T {
        struct Restore(Option<Language>);
        impl Drop for Restore {
            fn drop(&mut self) {
                LANGUAGE_OF_THREAD.set(self.0);
            }
        }
        let _restore = Restore(LANGUAGE_OF_THREAD.replace(Some(self)));
        work()
    }

    /// The language of the messages of this thread, by default English.
    pub fn chosen() -> Self {
        let of_thread = LANGUAGE_OF_THREAD.get();
        let chosen = of_thread.or_else(|| LANGUAGE.get().copied());
        chosen.unwrap_or(Self::En)
    }
}

/// The texts of the chosen language.
pub fn texts() -> &'static Texts {
    match Language::chosen() {
        Language::En => &ENGLISH,
        Language::Zh => &CHINESE,
    }
}

/// Declares each text in both languages, so that none can be missing in one of them.
macro_rules! texts {
    ($($name:ident: $english:literal, $chinese:literal;)+) => {
        /// Messages. In those with `{}`, [`fill`] replaces each `{}` by a value.
        #[expect(missing_docs, reason = "the names and the English texts explain them")]
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
    nothing_decided: "nothing decided", "对局未结束";
    cause_and_rules: "{}, {} rules", "{}，棋规 {}";
    occurrence: ", occurrence {} of the position", "，局面第 {} 次出现";
    checkmate: "checkmate", "将死";
    stalemate: "stalemate", "困毙";
    // Pieces.
    king: "king", "将（帅）";
    advisor: "advisor", "士（仕）";
    bishop: "bishop", "象（相）";
    knight: "knight", "马";
    rook: "rook", "车";
    cannon: "cannon", "炮";
    pawn: "pawn", "兵（卒）";
    // Moves that cannot be played.
    unreadable_move: "\"{}\" cannot be read as a move", "无法识别着法“{}”";
    not_legal_here: "\"{}\" is not a legal move here", "“{}”在此不是合法着法";
    illegal_move: "\"{}\" is illegal: {}", "“{}”不合法：{}";
    several_moves: "\"{}\" matches several moves: {}", "“{}”可指几种着法：{}";
    no_piece: "there is no piece on {}", "{} 没有棋子";
    other_side: "the piece on {} is not yours", "{} 的棋子不是己方的";
    own_piece: "your own piece is on {}", "{} 有己方的棋子";
    leaves_palace: "the {} may not leave the palace (九宫)", "{}不能离开九宫";
    crosses_river: "the bishop may not cross the river", "象（相）不能过河";
    hobbled_leg: "the knight is hobbled by the piece on {} (蹩马腿)", "{} 的棋子蹩马腿";
    blocked_eye: "the bishop is blocked by the piece on {} (塞象眼)", "{} 的棋子塞象眼";
    in_the_way: "the piece on {} is in the way", "{} 的棋子挡住去路";
    screens: "a cannon captures over exactly one piece (炮架), not {}", "炮吃子须隔一个炮架，而不是 {} 个";
    sideways_too_early: "a pawn moves sideways only after it has crossed the river", "兵（卒）过河后才能平走";
    backward: "a pawn never moves backward", "兵（卒）不能后退";
    no_promotion: "no promotion in check, with five pawns, or away from the back rank",
        "被将军时、已有五个兵（卒）时或不在底线时不能升变";
    wrong_step: "the {} does not move like that", "{}不能这样走";
    kings_face: "the kings would face each other (对面笑)", "走后将帅照面";
    king_in_check: "the king would be in check", "走后己方被将军（送将）";
    // Positions that are not valid.
    invalid_fen: "invalid FEN: {}", "FEN 无效：{}";
    illegal_position: "illegal position: {}", "局面不合法：{}";
    empty_fen: "the FEN is empty", "FEN 为空";
    one_rank: "1 rank instead of {}", "只有 1 行，应为 {} 行";
    ranks: "{} ranks instead of {}", "有 {} 行，应为 {} 行";
    one_square: "rank {} has 1 square instead of {}", "第 {} 行只有 1 列，应为 {} 列";
    squares: "rank {} has {} squares instead of {}", "第 {} 行有 {} 列，应为 {} 列";
    not_a_piece: "{} is not a piece", "{} 不是棋子";
    wrong_side: "the side to move is \"{}\" instead of w or r (red) or b (black)",
        "走子方是“{}”，应为 w 或 r（红方）或 b（黑方）";
    invalid_counters: "invalid counters in the FEN: {}; read as {} {}", "FEN 中的计数无效：{}；按 {} {} 处理";
    no_king: "{} has no king", "{}没有将（帅）";
    too_many: "{} has {} {}s (a set has {})", "{}有 {} 个{}（一副棋只有 {} 个）";
    too_many_pieces: "{} has {} pieces (at most {})", "{}有 {} 个棋子（最多 {} 个）";
    impossible_square: "{} {} cannot stand on {}", "{}{}不能在 {}";
    facing_kings: "the kings face each other", "将帅照面";
    in_check_not_to_move: "{} is in check but not to move", "{}被将军，却没有轮到该方走棋";
    cannot_arise: "the position cannot arise in a game: {}", "对局中不会出现这样的局面：{}";
    // Protocols.
    quoted: "\"{}\"", "“{}”";
    refused: "{} refused: {}", "{} 被拒绝：{}";
    no_mate: "there is no mate in {}{}", "{} 回合内没有杀法{}";
    mate_not_found: "no mate in {}{} found, but not every line was searched",
        "没有找到 {} 回合内的杀法{}，但并未搜索所有变化";
    by_these_moves: " by these moves", "（限于这些着法）";
    unknown_words: "go: unknown words {}", "go：不认识的词 {}";
    cannot_play: "go: cannot play {}", "go：不能走 {}";
    perft_stopped: "perft was stopped", "perft 已停止";
    search_failed: "the search has failed; please restart the engine", "搜索失败，请重新启动引擎";
    unknown_option: "unknown option: {}", "没有这个选项：{}";
    unknown_command: "Unknown command: {}. Start with `ucci`, `uci` or `xboard`; `chuhe --help` lists other uses.",
        "不认识的指令：{}。请先输入 `ucci`、`uci` 或 `xboard`；其他用法见 `chuhe --help`。";
    unknown_line: "unknown line: {}", "不认识的指令：{}";
    moves_ignored: "move {} of {} and all after it are ignored: {}", "从第 {} 步（共 {} 步）起的着法被忽略：{}";
    not_a_move: "{} is not a move{}", "{}不是着法{}";
    other_ranks: " (ranks are 0 to 9)", "（行号为 0 到 9）";
    not_a_legal_move: "{} is not a legal move", "{}不是合法着法";
    and_more: "and {} more", "另有 {} 个错误";
    table_not_used: "{}: {} is not used: {}", "{}：不使用 {}：{}";
    damaged_table: "endgame tablebase {}", "残局库 {}";
    wrong_value: "option {} takes {}, not {}", "选项 {} 应为{}，而不是{}";
    empty_value: "an empty value", "空值";
    a_number: "a number", "数字";
    true_or_false: "true or false", " true 或 false";
    one_of: "one of {}", " {} 之一";
    out_of_range: "option {}: {} is outside the range {} to {}; {} is used", "选项 {}：{} 不在 {} 到 {} 之间，改用 {}";
    rounded: "option {}: {} is rounded down to {}", "选项 {}：{} 向下取整为 {}";
    needs_a_number: "{} needs a number", "{} 后面须有数字";
    needs_a_number_not: "{} needs a number, not {}", "{} 后面须有数字，而不是{}";
    needs_a_clock: "{} needs a clock", "{} 须与棋钟一起给出";
    at_least_1: "{} must be at least 1", "{} 至少须为 1";
    line_too_long: "the line is too long", "行太长";
    no_limit: "without a known limit the search would not end", "没有可识别的时限、深度或节点数，搜索不会结束";
    opponents_clock: "go: the clock of the side to move is missing; the opponent's clock is used instead",
        "go：没有走子方的棋钟，改用对方的棋钟";
    not_pondering: "the engine is not pondering", "引擎没有在后台思考";
    no_search: "no search is in progress", "没有正在进行的搜索";
    invalid_last_position: "the last position was invalid", "上一个局面无效";
    // Records and files.
    move_number: "move {}", "第 {} 步";
    no_such_file: "there is no such file; a game begins with `startpos` or a FEN",
        "没有这个文件；棋局以 `startpos` 或 FEN 开头";
    problem_of_game: "{}: {}: {}; {}", "{}：{}：{}；{}";
    moves_before_it: "the moves before it are used", "保留其前的着法";
    result_unknown: "the result is unknown", "结果不明";
    part_left_out: "this part is left out", "略去这一部分";
    more_problems: "{}: {}: more parts left out: {}", "{}：{}：另外略去 {} 处";
    line_skipped: "{}: skipped 1 line of text outside games", "{}：跳过对局以外的 1 行文字";
    lines_skipped: "{}: skipped {} lines of text outside games", "{}：跳过对局以外的 {} 行文字";
    first_of_several: "{}: using the first of several games; {}:2 is the next",
        "{}：有多局棋，只用第一局；{}:2 为下一局";
    other_extensions: "{}: not read because of other extensions: {}", "{}：扩展名不是棋谱格式，未读取：{}";
    linked_folder: "{}: not read because it is a link to a folder", "{}：是指向文件夹的链接，未读取";
    special_file: "{}: not read because it is not a regular file", "{}：不是普通文件，未读取";
    no_game: "there is no game {}", "没有第 {} 局";
    too_few_plies: "the game ends after ply {}", "该局只有 {} 步";
    games_converted: "{} read, {} written", "读入 {}，写出 {}";
    cannot_be_read: "{} cannot be read", "有 {}无法读取";
    games_agree: "{}: {} of {} games agree with the rules", "{}：{} / {} 局无误";
    all_games_agree: "{} of {} games agree with the rules", "共 {} / {} 局无误";
    variations_not_verified: "{}: only main lines are verified, not the variations ({})",
        "{}：只复核主线，不复核变着（{} 个）";
    // Verdicts of chuhe judge.
    verdict_none: "none", "未结束";
    verdict_draw: "draw", "和棋";
    verdict_red_loses: "red_loses", "红负";
    verdict_black_loses: "black_loses", "黑负";
    // Explanations of verdicts.
    no_capture_counts: "plies since the last capture: {}, counted: {}, limit: {}",
        "未吃子步数：{}，计入：{}，上限：{}";
    every_repetition_draws: "every repetition is a draw", "凡循环反复均判和";
    only_checks_count: "only perpetual checks count", "只计长将";
    check_excludes_chases: "chases do not count because the repetition contains a check",
        "循环中有将军，捉子不计";
    chased_piece_excused: "threats of a chased piece that only cut off a protector do not count \
        (Asian rule 19, diagrams 39-41, 61): {}",
        "被捉之子仅因切断对方的根而形成的捉，不算捉（亚洲棋规第 19 条，图 39–41、61）：{}";
    chase_in_each_round: "{} chases one piece in each round, which counts as a perpetual chase \
        because the other side chases perpetually (Asian rules, diagram 107)",
        "{}在每个循环中都只捉同一子（各循环所捉之子不同）；因对方始终长捉，按长捉论（亚洲棋规，图 107）";
    graver_loses: "{} loses: {} is graver than what {} did", "{}判负：{}；{}未犯规，或犯规较轻";
    joint_attack_wins: "both sides attack perpetually, but {} chases jointly or chases a partly protected piece, \
        so {} loses", "双方长打，{}属联合捉子或捉少根子，{}不变判负";
    nothing_forbidden_draws: "draw: neither side did anything forbidden", "判和：双方均为允许着法";
    equal_draws: "draw: {} by both sides", "判和：双方均为{}";
    labeled: "{}: {}", "{}：{}";
    of_pieces: "{} of {}", "{}（{}）";
    comma: ", ", "、";
    clause_comma: ", ", "，";
    clause_semicolon: "; ", "；";
    piece: "piece", "棋子";
    effect: "effect", "作用";
    gives_check: "check", "将军";
    threatens_mate: "threatens mate", "杀";
    offers_exchange: "offers an exchange", "兑子";
    chases: "{} chases {}", "{} 捉{}";
    excused_attack: "{} attacks {} but is excused (a protector was cut off)", "{} 捉{}，不计（仅断根）";
    wins_by_check: "{} threatens to win material by a check", "{} 企图借将军得子";
    joint_chase: "joint chase or chase of a partly protected piece", "联合捉子或捉少根子";
    place_game: "game {}", "第 {} 局";
    place_line: "line {}", "第 {} 行";
    // chuhe analyse
    depth: "depth", "深度";
    rank: "#", "序";
    score: "score", "分数";
    time: "time", "时间";
    nodes: "nodes", "节点";
    speed: "nps", "节点/秒";
    line_to_move: "line ({} to move)", "变例（{}走）";
    line: "line", "变例";
    best: "best", "最佳";
    win_draw_loss: "win/draw/loss", "胜/和/负";
    // chuhe review
    ply: "ply", "步数";
    played: "move", "着法";
    lost: "lost", "损失";
    better: "better", "更佳着法";
    moves: "moves", "着数";
    accuracy: "accuracy", "准确率";
    lost_per_move: "lost per move", "平均损失";
    inaccuracies: "inaccuracies", "缓着";
    mistakes: "mistakes", "失着";
    blunders: "blunders", "败着";
    inaccuracy: "inaccuracy", "缓着";
    mistake: "mistake", "失着";
    blunder: "blunder", "败着";
    game_number: "Game {}: {}", "第 {} 局：{}";
    opening: "Opening: {}", "开局：{}";
    after_ply: "After ply {}: {}.", "第 {} 步后：{}。";
    // chuhe play
    type_a_move: "Type a move, or `help`.", "请输入着法，或输入 `help`。";
    i_play: "I play {}{} ({} s).", "我走 {}{}，用时 {} 秒。";
    from_the_book: ", from the book", "（开局库）";
    check: "Check!", "将军！";
    must_deviate:
        "{} must deviate (变着): a position has occurred {} times; \
        repeating it once more in this way loses by the rules ({}): {}.",
        "{}须变着：局面已出现 {} 次，再如此重复，按棋规（{}）判负：{}。";
    game_over: "The game is over: {}. `new` starts another one.", "对局已结束：{}。`new` 开始新的一局。";
    usage: "Type `{} {}`.", "请输入 `{} {}`。";
    no_argument: "`{}` takes no arguments.", "`{}` 没有参数。";
    see_help: "{}. Type `help` for the commands.", "{}。输入 `help` 查看命令。";
    not_utf_8: "The line is not valid UTF-8.", "这一行不是有效的 UTF-8。";
    nothing_to_take_back: "There is no move to take back.", "没有可悔的着法。";
    for_the_side_to_move: "{} for the side to move", "{}（以走子方为准）";
    too_early_for_a_draw: "I decline: it is too early for a draw.", "不同意：现在提和太早。";
    better_position: "I decline: my position is better.", "不同意：我方局面占优。";
    saves_pgn: "A game is saved as .pgn or .txt, its position as .fen; `chuhe convert` writes other formats.",
        "棋局保存为 .pgn 或 .txt，局面保存为 .fen；其他格式请用 `chuhe convert`。";
    saved_to: "Saved to {}.", "已保存到 {}。";
    saved_only_moves: " It contains the moves, but not the names, comments and variations of the loaded game.",
        "其中只有着法，没有所载入棋谱的棋手姓名、注释和变着。";
    loaded: "Loaded. {}", "已载入。{}";
    make_engine_play: "`engine red` or `engine black` makes the engine play.",
        "`engine red` 或 `engine black` 让引擎执红或执黑。";
    play_help: "\
h2e2, 炮二平五, C2=5     a move
hint                     the best move
analyse [SECONDS]        the best line with its score
eval                     the evaluation without a search
undo                     takes back your last move and the reply
moves                    the moves of the game
board, flip, fen         shows the board, flips it, shows its FEN
level time SECONDS | depth N | elo POINTS
engine red | black | none   the side of the engine
new [FEN [moves M…]]     a new game
draw, resign             offers a draw, resigns
save FILE                the game as PGN, or its position as .fen
load FILE                a game or position in any format (FILE:3 is the third)
help                     this list
quit, exit               ends the program", "\
炮二平五, h2e2, C2=5     走一着
hint, 提示               最佳着法
analyse [秒]             主变及分数
eval                     不搜索的静态评估
undo, 悔棋               收回双方各一着
moves, 着法              本局着法
board, flip, fen         显示棋盘、翻转棋盘、显示 FEN
level time 秒 | depth 层数 | elo 等级分
engine red | black | none   引擎执红、执黑或不走
new [FEN [moves 着法…]]  新的一局
draw, 提和, 求和         提议和棋
resign, 认输             认输
save 文件, 保存 文件     保存为 PGN，或把局面保存为 .fen
load 文件                载入任何格式的棋谱或局面（文件:3 为第三局）
help, 帮助               显示本说明
quit, exit, 退出         退出程序";
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

/// A text in the quotation marks of the chosen language.
pub fn quoted(text: &str) -> String {
    fill(texts().quoted, &[text])
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
