//! The features that are declared to XBoard.

use crate::protocol::options::{OptionKind, OptionSpec, all};

/// Options that have commands of their own (`memory`, `cores`, `easy` and `hard`, `new`, `rating`), and those
/// that change nothing in XBoard.
const WITHOUT: [&str; 12] = [
    "hashsize",
    "threads",
    "ponder",
    "newgame",
    "UCI_Opponent",
    "usemillisec",
    "batch",
    "UCI_ShowWDL",
    "UCI_ShowCurrLine",
    "UCI_ShowRefutations",
    "UCI_EngineAbout",
    "UCI_Variant",
];

/// The answer to `protover`.
pub(super) fn features() -> Vec<String> {
    let mut lines = vec![
        "feature done=0".to_owned(),
        concat!("feature myname=\"Chuhe ", env!("CARGO_PKG_VERSION"), "\"").to_owned(),
        "feature variants=\"xiangqi\" ping=1 setboard=1 usermove=1 playother=1 san=0".to_owned(),
        "feature time=1 draw=1 analyze=1 colors=0 sigint=0 sigterm=0 reuse=1".to_owned(),
        "feature name=1 nps=0 pause=0 debug=1 memory=1 smp=1".to_owned(),
    ];
    lines.extend(all().filter_map(|spec| option(&spec)));
    lines.push("feature done=1".to_owned());
    lines
}

fn option(spec: &OptionSpec) -> Option<String> {
    let name = spec.name();
    if WITHOUT.contains(&name) {
        return None;
    }
    let kind = match spec.kind {
        OptionKind::Check { default, .. } => format!("-check {}", u8::from(default)),
        OptionKind::Spin {
            min, max, default, ..
        } => format!("-spin {default} {min} {max}"),
        OptionKind::Combo { words, default, .. } => {
            let choices = words.iter().enumerate().map(|(n, word)| {
                let mark = if n == default { "*" } else { "" };
                format!("{mark}{word}")
            });
            let choices: Vec<String> = choices.collect();
            format!("-combo {}", choices.join(" /// "))
        }
        OptionKind::Text { default, .. } => format!("-string {default}"),
        OptionKind::Button(_) => "-button".to_owned(),
        #[cfg(feature = "tune")]
        OptionKind::Parameter(p) => format!("-spin {} {} {}", p.default, p.min, p.max),
    };
    Some(format!("feature option=\"{name} {kind}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_end_with_done() {
        let lines = features();
        assert_eq!(lines.last().unwrap(), "feature done=1");
        assert!(lines.iter().all(|line| line.starts_with("feature ")));
        let style = "feature option=\"style -combo solid /// *normal /// risky\"";
        assert!(lines.iter().any(|line| line == style), "{lines:?}");
        assert!(
            WITHOUT
                .iter()
                .all(|name| { all().any(|spec| spec.name() == *name) })
        );
    }
}
