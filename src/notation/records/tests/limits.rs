//! Tests that the time and memory of the readers are bounded, and that random bytes do not panic.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::{one, random_game};
use crate::board::Position;
use crate::notation::MoveStyle;
use crate::notation::records::dhtmlxq::read_dhtmlxq;
use crate::notation::records::{RecordReader, write_cbl, write_cbr, write_dhtmlxq, write_xqf, xqf};
use crate::notation::tree::{GameTree, NodeId, ROOT};

#[test]
fn deep_variations_are_bounded() {
    let deep = format!("1. h2e2 {}1. b2e2{} h9g7 *", "(".repeat(100_000), ")".repeat(100_000));
    let game = one(deep.as_bytes());
    assert_eq!(game.plies(), 2);
    assert_eq!(game.problems.len(), 1);
    // A long line with many variations at its end.
    let shuffle = SHUFFLE.repeat(20_000);
    let variations = "(b0a2 zz) ".repeat(20_000);
    let game = one(format!("1. {shuffle} b0c2 {variations} *").as_bytes());
    assert_eq!(game.variations(), 20_000);
}

#[test]
fn unclosed_fields_of_dhtmlxq_take_linear_time() {
    let many = 1 << 18;
    for text in ["[DhtmlXQ_a]".repeat(many), "[DhtmlXQ_".repeat(many)] {
        for text in [format!("{text}[/DhtmlXQ_b]"), text] {
            let error = read_dhtmlxq(&text).unwrap_err();
            assert_eq!(error.to_string(), "there is no DhtmlXQ_movelist");
        }
    }
}

/// A text repeated until it is longer than `size`.
fn repeat(text: &str, size: usize) -> String {
    text.repeat(size / text.len() + 1)
}

/// `text(1)`, `text(2)` and so on, joined until there are at least `size` bytes.
fn numbered(size: usize, text: fn(usize) -> String) -> String {
    let mut all = String::new();
    let mut number = 1;
    while all.len() < size {
        all += &text(number);
        number += 1;
    }
    all
}

const SHUFFLE: &str = "a0a1 a9a8 a1a0 a8a9 ";

/// Texts on which a reader is likely to take quadratic time: the beginning, the repeated part and the end of each.
const HARD_TEXTS: [(&str, &str, &str); 54] = [
    // Comments, one without an end, and one with many lines.
    ("1. h2e2 ", "{a}", " *"),
    ("1. h2e2 {", "a\n", ""),
    ("1. h2e2 {", "a\n", "} *"),
    // Tags, tags without an end, and games without moves.
    ("", "[a \"b\"]\n", "1. h2e2 *"),
    ("", "[a \"", ""),
    ("1. h2e2 ", "[a ", ""),
    ("1. h2e2 ", "[a \"b", ""),
    ("", "[Red \"a\"]\n\n*\n\n", ""),
    // Variations and brackets.
    ("1. h2e2 ", "(", ""),
    ("1. h2e2 ", "(1. b2e2)", " *"),
    ("1. ", "a0a1 (b0c2) a9a8 a1a0 (b0c2) a8a9 ", "*"),
    // Moves, joined moves, a long word, glyphs, and text without a game.
    ("1. ", SHUFFLE, "*"),
    ("", "炮二平五马8进7", ""),
    ("1. h2e2 ", "炮", " *"),
    ("1. h2e2 ", "炮 ", " *"),
    ("1. h2e2 ", "$1 ", " *"),
    ("", "x y\n", ""),
    ("1. h2e2\n", ">", ""),
    // CBF.
    ("<ChineseChessRecord>", "<Move value=\"77-47\" branch=\"1\" end=\"1\"/>", ""),
    ("<ChineseChessRecord>", "<a>", ""),
    ("<ChineseChessRecord>", "<a>b</a>", ""),
    ("<ChineseChessRecord><Move ", "a=\"b\" ", ">"),
    ("<ChineseChessRecord><a>", "&amp;", "</a>"),
    // PFC.
    ("<n version=\"2\" ", "a=\"b\" ", ">"),
    ("<n version=\"2\">", "<n m=\"h2e2\">", ""),
    ("<n version=\"2\">", "<n m=\"h2e2\" default=\"true\"/>", "</n>"),
    ("", "<n version=\"2\"/>", ""),
    // WXF.
    ("", "START{\n1. C2=5\n}END\n", ""),
    ("", "START{\n", ""),
    ("", "RED a\n", "START{\n1. C2=5\n}END\n"),
    // Games on one line.
    ("", "startpos moves h2e2\n", ""),
    ("startpos moves ", SHUFFLE, ""),
    ("startpos moves ", "a", ""),
    ("startpos\nhttp://x/?", "board=", ""),
    // Joined moves, headings, sentences, labels and times.
    ("", "h2e2h9g7", ""),
    ("1. h2e2 ", "红方: x\n", ""),
    ("1. h2e2 ", "好\n", ""),
    ("1. h2e2 ", "红: ", ""),
    ("1. h2e2 ", "0:05 ", ""),
    ("[a \"b\"]\n", "红方: x\n日期: y\n", ""),
    // Web pages, WXF in one line, and other spellings of DhtmlXQ.
    ("<p>", "<", ""),
    ("<p>", "<!--", ""),
    ("<p>", "<br    ", ""),
    ("<p>", "&#", ";"),
    ("<p>", "<script>", ""),
    ("START {", "} START { ", ""),
    ("", "&#91;DhtmlXQ&#93;", ""),
    ("", "%5BDhtmlXQ", ""),
    ("", "%5BDhtmlXQ_a%5D ", ""),
    ("[DhtmlXQ][\\/DhtmlXQ]", "\\u7532", ""),
    ("[DhtmlXQ]", "[DhtmlXQ", ""),
    ("[DhtmlXQ]", "[0_1_0]77[/0_1_0]", ""),
    ("[DhtmlXQ]", "[DHJHtmlXQ_34]7242[/DHJHtmlXQ_34]", ""),
    // DhtmlXQ without a list of moves.
    ("", "[DhtmlXQ]x", ""),
];

/// DhtmlXQ records of about `size` bytes on which a reader is likely to take quadratic time.
fn hard_dhtmlxq(size: usize) -> Vec<String> {
    let fields = [
        repeat("[DhtmlXQ_a]", size),
        repeat("[/DhtmlXQ_a]", size),
        repeat("[DhtmlXQ_", size),
        numbered(size, |n| format!("[DhtmlXQ_x{n}]a[/DhtmlXQ_x{n}]")),
        numbered(size, |n| format!("[DhtmlXQ_comment{n}]a[/DhtmlXQ_comment{n}]")),
        numbered(size, |n| {
            let name = format!("move_{}_1_{n}", n - 1);
            format!("[DhtmlXQ_{name}]1022[/DhtmlXQ_{name}]")
        }),
    ];
    let mut moves = vec!["77477062".to_owned(); fields.len()];
    moves.push(repeat("0908000108090100", size));
    let fields = fields.into_iter().chain([String::new()]);
    let records = moves.into_iter().zip(fields);
    records
        .map(|(moves, fields)| {
            format!("[DhtmlXQ][DhtmlXQ_movelist]{moves}[/DhtmlXQ_movelist]{fields}")
        })
        .collect()
}

/// Files of most formats, almost all of about `size` bytes, on which a reader is likely to take quadratic time.
fn hard_files(size: usize) -> Vec<Vec<u8>> {
    let mut line = GameTree::new(Position::startpos());
    let mut fan = line.clone();
    let mut node = ROOT;
    for text in SHUFFLE.split_whitespace().cycle().take(size / 8) {
        line.add_line(node, &[text.parse().unwrap()]);
        node = NodeId::try_from(line.moves.len()).unwrap();
        fan.add_line(ROOT, &["h2e2".parse().unwrap()]);
    }
    let texts =
        HARD_TEXTS.map(|(before, part, after)| [before, &repeat(part, size), after].concat());
    let texts = texts.into_iter().chain(hard_dhtmlxq(size));
    let binary = [
        write_xqf(&line).unwrap(),
        write_xqf(&fan).unwrap(),
        write_cbr(&line),
        write_cbr(&fan),
        write_cbl(&vec![GameTree::new(Position::startpos()); size / 4096]),
        [write_cbl(&[]), vec![0; size]].concat(),
    ];
    texts.map(String::into_bytes).chain(binary).collect()
}

/// The memory that readers allocate is linear in the size of the file, both the total and the peak. A reader that
/// repeatedly copies what it has already read fails this test, and a reader that repeatedly scans it would take
/// minutes.
#[test]
fn work_and_memory_are_linear_in_the_size_of_a_file() {
    const SIZES: [usize; 2] = [1 << 14, 1 << 17];
    /// The growth that is allowed when a file becomes eight times as large.
    const GROWTH: usize = 16;
    /// The memory that is allowed: bytes for the buffers of a reader, and bytes per byte of a file.
    const BUFFERS: usize = 8 << 20;
    const MAX_PER_BYTE: usize = 400;
    let used = |file: &Vec<u8>| {
        allocations::during(|| {
            if let Ok(reader) = RecordReader::new(&file[..]) {
                reader.for_each(drop);
            }
        })
    };
    let [small, large] = SIZES.map(hard_files);
    for (short, long) in small.iter().zip(&large) {
        let beginning = String::from_utf8_lossy(&long[..80.min(long.len())]);
        let (before, after) = (used(short), used(long));
        let message = format!("{beginning}: {before:?}, {after:?}");
        let growth = GROWTH * long.len() / (8 * short.len());
        assert!(after.total <= growth * before.total + BUFFERS, "{message}");
        assert!(after.count <= growth * before.count + 10_000, "{message}");
        assert!(after.peak <= MAX_PER_BYTE * long.len() + BUFFERS, "{message}");
    }
}

/// Counts the allocations of the current thread during a call.
#[allow(unsafe_code)]
mod allocations {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::cell::Cell;

    /// The number of allocations, their total size, and the most that was allocated at the same time, in bytes.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Allocations {
        pub count: usize,
        pub total: usize,
        pub peak: usize,
        current: usize,
    }

    thread_local! {
        static USED: Cell<Option<Allocations>> = const { Cell::new(None) };
    }

    struct Counting;

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;

    fn count(allocated: usize, freed: usize) {
        let _ = USED.try_with(|used| {
            if let Some(mut all) = used.get() {
                all.count += usize::from(allocated > 0);
                all.total += allocated;
                all.current = (all.current + allocated).saturating_sub(freed);
                all.peak = all.peak.max(all.current);
                used.set(Some(all));
            }
        });
    }

    // SAFETY: all calls are passed on unchanged, and counting does not allocate.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            count(layout.size(), 0);
            // SAFETY: as for this function.
            unsafe { System.alloc(layout) }
        }

        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            count(layout.size(), 0);
            // SAFETY: as for this function.
            unsafe { System.alloc_zeroed(layout) }
        }

        unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
            count(0, layout.size());
            // SAFETY: as for this function.
            unsafe { System.dealloc(pointer, layout) }
        }

        unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
            count(size, layout.size());
            // SAFETY: as for this function.
            unsafe { System.realloc(pointer, layout, size) }
        }
    }

    pub fn during(call: impl FnOnce()) -> Allocations {
        USED.set(Some(Allocations::default()));
        call();
        USED.take().unwrap_or_default()
    }
}

#[test]
fn random_bytes_do_not_panic() {
    let mut random = StdRng::seed_from_u64(3);
    let game = random_game(5, true);
    let files = [
        write_xqf(&game).unwrap(),
        xqf::tests::file(18, &[("h2e2", "中炮"), ("h9g7", "")]),
        write_cbr(&game),
        write_cbl(std::slice::from_ref(&game)),
        write_dhtmlxq(&game).into_bytes(),
        game.write_pgn(MoveStyle::San).into_bytes(),
        b"START{\n1. C2=5\n}END".to_vec(),
        b"<ChineseChessRecord><Move value=\"77-47\">a</Move>".to_vec(),
    ];
    for file in files {
        // Only the last 2,000 bytes are changed or cut off, because most of a library is its index.
        let intact = file.len().saturating_sub(2000);
        for _ in 0..1000 {
            let mut bytes = file.clone();
            for _ in 0..random.random_range(1..4) {
                let at = random.random_range(intact..bytes.len());
                bytes[at] = random.random();
            }
            bytes.truncate(random.random_range(intact + 1..=bytes.len()));
            if let Ok(reader) = RecordReader::new(&bytes[..]) {
                reader.for_each(drop);
            }
        }
    }
}
