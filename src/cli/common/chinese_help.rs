//! The help of the main commands in Chinese.

use clap::{Arg, Command};

use crate::text::translated;

/// The commands with a Chinese description.
const COMMANDS: &[(&str, &str)] = &[
    ("analyse", "搜索局面并显示最佳变例"),
    ("batch", "批量搜索局面，输出 JSON 或 CSV"),
    ("bench", "固定深度的基准测试"),
    ("board", "在浏览器中打开棋盘：分析、对弈、评棋"),
    ("book", "开局库：制作、合并、查看"),
    ("check", "检查引擎是否遵守协议"),
    ("cloud", "云库工具"),
    ("convert", "转换棋谱和局面的格式"),
    ("data", "自对弈数据：统计、查看、合并、转换"),
    ("egtb", "残局库：生成、校验、统计、查询"),
    ("judge", "按棋规裁决：无结果、和、红负、黑负"),
    ("match", "引擎之间的比赛"),
    ("openings", "搜索均衡的开局"),
    ("perft", "着法生成计数"),
    ("play", "在终端中与引擎对弈"),
    ("replay", "复核棋谱"),
    ("review", "逐着评判一局棋"),
    ("selfplay", "引擎自对弈，生成训练数据"),
    ("serve", "云库服务器"),
    ("show", "显示局面"),
    ("solve", "解排局：首着、各种应着、其他解法"),
    ("train", "训练神经网络"),
];

/// The commands whose arguments are described in Chinese too.
pub const MAIN_COMMANDS: [&str; 9] = [
    "analyse", "batch", "board", "convert", "judge", "play", "replay", "review", "show",
];

/// The arguments of these commands: command (empty for all), name, description.
const ARGUMENTS: &[(&str, &str, &str)] = &[
    (
        "review",
        "games",
        "棋谱文件（各种格式，可多个）；games.pgn:3 为第三局，games.pgn:3@42 为其前 42 步",
    ),
    (
        "convert",
        "files",
        "棋谱或局面文件；- 为标准输入；FILE:3 为第三局，FILE:3@42 为其前 42 步",
    ),
    ("convert", "to", "输出格式"),
    ("convert", "notation", "PGN 中的记谱法"),
    (
        "convert",
        "gbk",
        "用 GBK 编码输出；GBK 没有的字符写作 &#NUMBER;，并给出警告",
    ),
    (
        "convert",
        "strict",
        "拒绝有不合法着法的对局，而不是保留此前的着法",
    ),
    ("convert", "player", "只选棋手姓名含 NAME 的对局"),
    ("convert", "event", "只选赛事名称含 NAME 的对局"),
    (
        "convert",
        "result",
        "只选结果为 1-0、0-1、1/2-1/2 或 * 的对局",
    ),
    (
        "",
        "ecco",
        "只选开局编号（ECCO）以 CODE 开头的对局，如 C、B2 或 C44",
    ),
    (
        "convert",
        "openings",
        "把开局的编号和名称写入标签 ECCO 和 Opening",
    ),
    ("convert", "min_plies", "只选至少 N 步的对局"),
    (
        "convert",
        "unique",
        "起始局面和着法相同的对局（或相同的局面）只保留第一个",
    ),
    (
        "convert",
        "ply",
        "取第 N 步后的局面，而不是最后的局面；跳过较短的对局",
    ),
    (
        "replay",
        "files",
        "棋谱文件（各种格式，可多个）；- 为标准输入；FILE:3 为第三局",
    ),
    ("replay", "list", "列出所有对局，包括无误的对局"),
    ("replay", "explain", "说明每局最后局面的裁决"),
    ("replay", "json", "每局输出一个 JSON 对象"),
    ("show", "svg", "将局面保存为 SVG 图片；- 为标准输出"),
    ("show", "arrow", "画出着法的箭头，可重复使用"),
    ("show", "mark", "圈出一格，如 e4，可重复使用"),
    ("judge", "all", "并列显示所有棋规的裁决"),
    ("review", "all", "评判文件中的所有对局"),
    ("judge", "json", "每局输出一个 JSON 对象"),
    ("review", "json", "每局输出一个 JSON 对象"),
    (
        "",
        "game",
        "startpos、FEN，或棋谱中的一局（如 games.pgn:3、games.pgn:3@42），后面可接着法",
    ),
    ("", "moves", "先走这些着法（任何记谱法）"),
    ("", "port", "端口；0 为任意空闲端口"),
    (
        "board",
        "library",
        "在棋盘旁显示并可扩充的云库；没有则新建；请求的搜索以低优先级进行",
    ),
    ("", "no_browser", "只显示网址，不打开浏览器"),
    ("", "ascii", "用字母和 ASCII 字符画棋盘"),
    ("", "flip", "黑方在下"),
    ("", "multipv", "最佳变例的数目"),
    ("", "notation", "记谱法"),
    ("", "json", "每个局面输出一个 JSON 对象"),
    ("", "time", "思考时间（秒）"),
    ("", "depth", "搜索深度"),
    ("", "nodes", "搜索节点数"),
    (
        "",
        "threads",
        "线程数；0 为每个处理器核心一个；batch 和 review 为同时搜索的局面数",
    ),
    ("", "hash", "置换表大小（MB）"),
    ("", "pruning", "裁剪程度"),
    ("", "knowledge", "知识量：large 为神经网络"),
    ("", "rules", "棋规"),
    ("", "network", "代替内置网络的网络文件"),
    ("", "tables", "残局库目录，用 ; 分隔"),
    ("", "log", "把日志追加到文件"),
    ("", "lang", "消息的语言"),
    ("", "red", "引擎执红"),
    ("", "blue", "引擎执黑（默认）"),
    ("", "elo", "引擎的等级分"),
    ("", "clock", "棋钟：每方分钟数和每着加秒，如 10+5"),
    ("", "name", "保存棋谱时你的名字"),
    ("", "book", "开局库，用 ; 分隔"),
    ("", "no_book", "不用开局库"),
    ("", "from", "从第 N 步开始评判"),
    ("", "pgn", "把带分数和更好变例的棋谱写入文件"),
    ("", "svg", "把期望得分的曲线写入文件"),
    ("", "html", "把网页写入文件"),
    ("", "force", "覆盖已有的输出文件"),
    ("", "explain", "说明裁决的理由"),
    (
        "batch",
        "files",
        "局面或棋谱文件（各种格式，可多个）；- 为标准输入",
    ),
    ("", "out", "输出文件；- 为标准输出"),
    ("", "go_on", "继续被中断的输出文件"),
    ("", "to", "输出格式"),
];

/// The Chinese description of an argument.
pub fn argument_help(command: &str, argument: &str) -> Option<&'static str> {
    let mut found = ARGUMENTS
        .iter()
        .filter(|(of, name, _)| *name == argument && (*of == command || of.is_empty()));
    found.next().map(|(_, _, text)| *text)
}

/// The words that clap writes around the help, and those of this crate in values.
const CLAP_WORDS: &[(&str, &str)] = &[
    ("Usage: ", "用法："),
    ("Commands:", "命令："),
    ("Arguments:", "参数："),
    ("Options:", "选项："),
    ("Possible values:", "可用的值："),
    ("[possible values: ", "[可用的值："),
    ("[default: ", "[默认："),
    ("[OPTIONS]", "[选项]"),
    ("[COMMAND]", "[命令]"),
    ("<COMMAND>", "<命令>"),
    (
        "Print this message or the help of the given subcommand(s)",
        "显示本帮助或子命令的帮助",
    ),
    (
        "Print help (see a summary with '-h')",
        "显示帮助（-h 为摘要）",
    ),
    (
        "Print help (see more with '--help')",
        "显示帮助（--help 更详细）",
    ),
    ("Print help", "显示帮助"),
    ("Print version", "显示版本"),
];

/// Translates a help or an error message of clap.
pub fn translate_clap(text: &str) -> String {
    let text = CLAP_WORDS
        .iter()
        .fold(text.to_owned(), |text, (word, chinese)| {
            text.replace(word, chinese)
        });
    translated(&text).into_owned()
}

/// Replaces the help of the commands by Chinese texts.
pub fn translate(mut command: Command) -> Command {
    command = command
        .about("楚河 (Chuhe)，中国象棋引擎。不带子命令时通过标准输入输出使用 UCCI 或 UCI 协议。");
    command = command.mut_args(|argument| translate_argument("", argument));
    for (name, about) in COMMANDS {
        // Some commands belong to optional features.
        if command.find_subcommand(name).is_none() {
            continue;
        }
        command = command.mut_subcommand(name, |sub| {
            let sub = sub.about(*about).long_about(*about);
            let sub = sub.mut_subcommands(|sub| {
                let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
                let about = translated(&about).into_owned();
                sub.about(about.clone()).long_about(about)
            });
            if MAIN_COMMANDS.contains(name) {
                sub.mut_args(|argument| translate_argument(name, argument))
            } else {
                sub
            }
        });
    }
    command
}

fn translate_argument(command: &str, argument: Arg) -> Arg {
    let Some(text) = argument_help(command, argument.get_id().as_str()) else {
        return argument;
    };
    let has_heading = argument.get_help_heading().is_some();
    let argument = argument.help(text).long_help(text);
    if has_heading {
        argument.help_heading("搜索")
    } else {
        argument
    }
}
