//! `chuhe match --spsa`.

use std::fs;

use super::{chuhe, error_output, match_of, output};
use crate::TestDir;

/// Tunes the number of lines: one engine plays with 1 line, the other with 3. With more lines there are fewer nodes for
/// the best one.
const FILE: &str = "pairs = 8\nrate = 0.1\n[[parameter]]\nname = \"multipv\"\nvalue = 2\nmin = 1\nmax = 9\nstep = 1\n";

#[test]
fn tuned_values_are_reported_and_resumed() {
    let dir = TestDir::new();
    let parameters = dir.path("lines.toml");
    fs::write(&parameters, FILE).unwrap();
    let tune = |journal: &str, more: &str| {
        let arguments = format!("--each nodes=300 --max-plies 80 {more}");
        let mut command = match_of([chuhe("one"), chuhe("two")], &arguments);
        command.arg("--spsa").arg(&parameters);
        command.arg("--resume").arg(dir.path(journal));
        command
            .arg("--pgn")
            .arg(dir.path(&format!("{journal}.pgn")));
        command
    };
    let whole = output(&mut tune("whole", ""));
    assert!(whole.contains("\ntuned parameters: 1\n"), "{whole}");
    let values = |text: &str| -> String {
        let line = text.lines().find(|line| line.starts_with("multipv"));
        line.unwrap_or_else(|| panic!("no values in {text}"))
            .to_owned()
    };
    assert!(!values(&whole).ends_with("2.0"), "{whole}");
    // The values follow from the games of the journal.
    let again = output(&mut tune("whole", ""));
    assert!(again.contains("resumed after 16 games"), "{again}");
    assert_eq!(values(&again), values(&whole));

    let games = fs::read_to_string(dir.path("whole.pgn")).unwrap();
    let engines = |color: &str| -> Vec<&str> {
        let tag = format!("[{color}Engine ");
        games
            .lines()
            .filter(|line| line.starts_with(&tag))
            .collect()
    };
    let (red, black) = (engines("Red"), engines("Black"));
    assert_eq!((red.len(), black.len()), (16, 16));
    for (red, black) in red.iter().zip(black) {
        assert!(red.contains("multipv=") && black.contains("multipv="));
        assert_ne!(red.replace("Red", "Black"), black);
    }

    fs::write(&parameters, FILE.replace("step = 1", "step = 2")).unwrap();
    let error = error_output(&mut tune("whole", ""));
    assert!(error.contains("the tuned parameters differ"), "{error}");
    fs::write(&parameters, FILE.replace("max = 9", "max = 1")).unwrap();
    let error = error_output(&mut tune("new", ""));
    assert!(
        error.contains("parameter multipv: `value` must be"),
        "{error}"
    );
}
