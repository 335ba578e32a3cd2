//! A conversation for each section of the documents: UCI and its cloud extension, the man page of tsito, XBoard, and
//! the dialect of the workers of the public cloud library.
//!
//! `> TEXT` sends a line. `< TEXT` reads up to a line that begins with TEXT; only information may come before it.
//! `! TEXT` forbids lines that begin with TEXT until the next `<` has been read.

use crate::engine_client::Client;

/// Whether a line may arrive at any time: information and search reports.
fn is_information(line: &str) -> bool {
    let words = ["info ", "option ", "id ", "feature ", "# "];
    let first = line.bytes().next();
    // A result such as `1-0 {red mates}` begins with a digit too.
    let is_thinking = first.is_some_and(|b| b.is_ascii_digit() || b == b'-') && !line.contains('{');
    line.is_empty() || is_thinking || words.iter().any(|word| line.starts_with(word))
}

fn converse(section: &str, transcript: &str) {
    let mut client = Client::boot();
    let mut forbidden = Vec::new();
    let lines = transcript.lines().map(str::trim);
    for step in lines.filter(|line| !line.is_empty()) {
        let (kind, text) = step.split_at(1);
        let text = text.trim();
        match kind {
            ">" => client.send(text),
            "!" => forbidden.push(text),
            "<" => loop {
                let line = client.line();
                let is_forbidden = forbidden.iter().any(|f| line.starts_with(f));
                assert!(!is_forbidden, "{section}: {line}");
                if line.starts_with(text) {
                    forbidden.clear();
                    break;
                }
                assert!(is_information(&line), "{section}: {line} instead of {text}");
            },
            _ => panic!("{section}: {step}"),
        }
    }
    client.finish();
}

macro_rules! transcripts {
    ($($name:ident: $text:expr;)*) => {
        $(#[test] fn $name() { converse(stringify!($name), $text); })*
    };
}

transcripts! {
    uci_2_moves_are_squares: "> uci \n < uciok \n > position startpos moves h2e2 \n > isready \n < readyok
        > go depth 1 \n < bestmove";
    uci_3_1_uci: "> uci \n < id name Chuhe \n < id author \n < option name \n < uciok";
    uci_3_2_debug: "> uci \n < uciok \n ! info string unknown \n > what \n > isready \n < readyok
        > debug on \n > what \n < info string unknown line: what \n > debug off
        ! info string unknown \n > what \n > isready \n < readyok
        > go infinite \n > debug on \n > debug off \n > stop \n < bestmove";
    uci_3_3_isready: "> uci \n < uciok \n > isready \n < readyok
        > go infinite \n > isready \n < readyok \n > stop \n < bestmove";
    uci_3_4_setoption: "> uci \n < uciok \n > setoption name Nullmove value true
        > setoption name MULTIPV value 3 \n > setoption name Style value Risky \n > setoption name Clear Hash
        > setoption name Selectivity value 3 \n > setoption name Repetition Rule value ChineseRule
        > isready \n < readyok \n > go depth 1 \n < info depth 1
        < info depth 1 \n < info depth 1 \n < bestmove
        > setoption name MultiPV value many \n < info string setoption refused: option MultiPV takes a number";
    uci_3_5_register: "> uci \n < uciok \n > register later \n < registration ok
        > register name Stefan MK code 4359874324 \n < registration ok";
    uci_3_6_position: "> uci \n < uciok
        > position fen 4k4/9/9/9/9/9/9/9/3R5/3K5 w - - 0 1 moves d1d2 e9e8 \n > go depth 1 \n < bestmove
        > position startpos moves a0a9 \n < info string position: move 1 of 1 and all after it are ignored
        > go depth 1 \n < bestmove";
    uci_3_7_searchmoves: "> uci \n < uciok \n > go depth 3 searchmoves a0a1 i0i1 \n ! bestmove h
        ! bestmove b \n < bestmove";
    uci_3_7_one_move: "> uci \n < uciok \n > go searchmoves a3a4 movetime 10 \n < bestmove a3a4";
    uci_3_7_ponder_and_3_8_ponderhit: "> uci \n < uciok \n > position startpos moves h2e2
        > go ponder wtime 100 btime 100 winc 0 binc 0 \n > isready \n ! bestmove \n < readyok
        > ponderhit \n < bestmove";
    uci_3_7_depth_nodes_movetime: "> uci \n < uciok \n ! info depth 3 \n > go depth 2 \n < bestmove
        > go nodes 100 \n < bestmove \n > go movetime 20 \n < bestmove
        > go depth 9 nodes 100 movetime 9999999 \n < bestmove";
    uci_3_7_mate: "> uci \n < uciok \n > position fen 3k5/9/R8/1R7/9/9/9/9/9/5K3 w
        > go mate 2 \n < info depth 3 seldepth 3 multipv 1 score mate 2 \n < bestmove
        > position startpos \n > go mate 1 \n < info string there is no mate in 1 \n < bestmove";
    uci_4_4_a_last_report_comes_before_the_move: "> uci \n < uciok \n > go depth 3 \n < info depth 3
        < bestmove";
    uci_4_7_info: "> uci \n < uciok \n > go depth 2 \n < info depth 2 seldepth \n < bestmove
        > go movetime 1500 \n < info time \n < info cpuload \n < bestmove";
    uci_4_8_option: "> uci \n < option name Ponder type check default false
        < option name Hash type spin default \n < option name MultiPV type spin default 1 min 1 max
        < option name Repetition Rule type combo default AsianRule var AsianRule
        < option name Sixty Move Rule type check default true
        < option name search type combo default negascout var negascout var alphabeta var mtd
        < option name Clear Hash type button \n < option name UCI_ShowCurrLine type check default false
        < option name UCI_ShowRefutations type check default false
        < option name UCI_LimitStrength type check default false \n < option name UCI_Elo type spin
        < option name UCI_AnalyseMode type check default false
        < option name UCI_Opponent type string default <empty>
        < option name EvalFile type string default <empty> \n < option name UCI_EngineAbout type string
        < option name UCI_Variant type combo default xiangqi var xiangqi \n < uciok";
    uci_unknown_and_stray_lines_are_ignored: "> uci \n < uciok \n > joho isready \n < readyok \n > stop
        > ponderhit \n < info string ponderhit refused \n > isready \n < readyok";

    cloud_hint: "> uci \n < uciok \n > go infinite \n > hint score 30 depth 12 pv b2e2 h9g7 \n > isready
        < readyok \n > stop \n < bestmove \n > hint score 1 depth 1 pv h2e2 \n > isready \n < readyok";

    tsito_cxboard_and_console: "> cxboard \n < Chuhe \n > console \n < 9  r---n---b";
    tsito_moves: "> cxboard \n < Chuhe \n > sd 1 \n > H2E2 \n < move \n > h2e2 \n < Illegal move (";
    tsito_red: "> cxboard \n < Chuhe \n > sd 1 \n > red \n > h2e2 \n < move";
    tsito_blue: "> cxboard \n < Chuhe \n > sd 1 \n > blue \n < move";
    tsito_force_and_go: "> cxboard \n < Chuhe \n > sd 1 \n > force \n > h2e2 \n > h9g7 \n ! move
        > ping 1 \n < pong 1 \n > go \n < move";
    tsito_sd: "> cxboard \n < Chuhe \n > post \n > sd 2 \n > h2e2 \n < 2 \n ! 3 \n < move
        > sd none \n < Error (bad argument): sd none";
    tsito_post_and_nopost: "> cxboard \n < Chuhe \n > sd 2 \n > post \n > h2e2 \n < 1 \n < 2 \n < move
        > nopost \n ! 1 \n ! 2 \n > b0c2 \n < move";
    tsito_undo: "> cxboard \n < Chuhe \n > undo \n < Error (only in force mode): undo \n > force \n > h2e2
        > undo \n > h2e2 \n > ping 1 \n < pong 1";
    tsito_remove: "> cxboard \n < Chuhe \n > sd 1 \n > h2e2 \n < move \n > remove \n > h2e2 \n < move";
    tsito_move_now: "> cxboard \n < Chuhe \n > st 1000 \n > h2e2 \n > ? \n < move";
    tsito_st_and_time: "> cxboard \n < Chuhe \n > st 100 \n > time \n < time \n > t \n < time
        > st never \n < Error (bad argument): st never";
    tsito_new: "> cxboard \n < Chuhe \n > sd 1 \n > force \n > h2e2 \n > new \n > sd 1 \n > h2e2 \n < move";
    tsito_setboard: "> cxboard \n < Chuhe \n > force
        > setboard r2Rka1hr/4a4/e3e3c/p1p1C1p1p/9/6P2/P1P1P3P/2H3H1E/3RA4/1cEK1A3 r
        < tellusererror Illegal position: black is in check
        > setboard rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR r \n > h2e2
        > setboard 3k5/R8/1R7/9/9/9/9/9/9/4K4 r
        > sd 3 \n > go \n < move \n < 1-0 {red mates}";
    tsito_set: "> cxboard \n < Chuhe \n > set style risky \n > set color red
        < Error (unknown option): set color red \n > set style wild \n < Error (bad argument): set style wild";
    tsito_search: "> cxboard \n < Chuhe \n > search mtd \n > sd 3 \n > h2e2 \n < move \n > new
        > search alphabeta \n > sd 3 \n > h2e2 \n < move \n > search deep \n < Error (bad argument): search deep";
    tsito_switches: "> cxboard \n < Chuhe \n > nullmove off \n > verifynull off \n > hash off
        > hashadjust on \n > iterative off \n > post \n > sd 3 \n > h2e2 \n < 1 \n ! 2 \n < 3 \n < move
        > iterative \n < Error (bad argument): iterative";
    xboard_2_features: "> xboard \n > protover 2 \n < feature done=0 \n < feature variants=\"xiangqi\"
        < feature option=\"naturallimit -check 1\" \n < feature done=1";
    xboard_2_a_game: "> xboard \n > protover 2 \n < feature done=1 \n > accepted usermove \n > new
        > variant xiangqi \n > level 40 5 0 \n > hard \n > easy \n > post \n > sd 2 \n > time 30000 \n > otim 30000
        > usermove h2e2 \n < 1 \n < move \n > ping 3 \n < pong 3 \n > result * {adjourned} \n > ping 4 \n < pong 4";
    xboard_2_analysis: "> xboard \n > protover 2 \n < feature done=1 \n > new \n > analyze \n < 1
        > usermove h2e2 \n < 1 \n > undo \n < 1 \n > exit \n > ping 1 \n < pong 1";
    cloud_worker_searches: "> isok \n < yesok \n > fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR b
        > go nodes 2000 \n < bestmove \n > isok \n < yesok \n > ucinewgame \n > isok \n < yesok
        > isready \n < readyok
        > fen 3k5/3R5/3R5/9/9/9/9/9/9/4K4 b \n > go \n < bestmove (none) \n > go depth x \n < bestmove (none)";
    cloud_worker_answers_sel: "> isok \n < yesok \n > position fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w
        ! bestmove \n > sel 3 5 200 \n < selmove \n > isok \n < yesok \n > go depth 1 \n < bestmove
        ! bestmove \n > sel 3 \n < selmove \n ! bestmove \n > sel 0 0 0 more \n < selmove
        > fen 3k5/3R5/3R5/9/9/9/9/9/9/4K4 b \n ! bestmove \n > sel 3 5 200 \n < selmove";
    cloud_worker_answers_sel_after_the_search_in_progress: "> isok \n < yesok \n > setoption batch on
        > fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w \n > go infinite \n > sel 3 5 200
        ! selmove \n > stop \n < bestmove \n ! bestmove \n < selmove";
    cloud_worker_in_uci_gets_bare_scores: "> uci \n < uciok \n > isready \n < readyok
        > fen 3k5/9/R8/1R7/9/9/9/9/9/5K3 w \n > go mate 2 \n < info depth 3 seldepth 3 multipv 1 score 29997
        < bestmove \n > isready \n < readyok";
    xboard_2_promotion: "> xboard \n > protover 2 \n < feature done=1 \n > option promotion=1 \n > new \n > force
        > setboard 3k5/9/9/9/9/9/9/9/9/2B1K4 w \n > sd 2 \n ! Illegal \n > usermove c0c0 \n > usermove d9d8
        > ping 1 \n < pong 1 \n > option promotion=0 \n > setboard 3k5/9/9/9/9/9/9/9/9/2B1K4 w
        > usermove c0c0 \n < Illegal move";
}
