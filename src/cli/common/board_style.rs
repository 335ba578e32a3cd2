//! How boards are drawn on this terminal.

use std::io::{self, IsTerminal};

use crate::notation::diagram::{DiagramStyle, Letters};

/// Arguments of the commands that draw boards.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(in crate::cli) struct BoardArguments {
    /// Draw boards with Latin letters and ASCII characters, whatever the terminal can show.
    #[arg(long)]
    ascii: bool,
    /// Draw boards with black at the bottom.
    #[arg(long)]
    flip: bool,
}

impl BoardArguments {
    /// The style: Chinese letters where the locale is one of UTF-8, colors on a terminal that has them.
    pub(in crate::cli) fn style(self) -> DiagramStyle {
        let letters = match self.ascii || !is_utf8() {
            true => Letters::Latin,
            false => Letters::Chinese,
        };
        DiagramStyle {
            letters,
            color: io::stdout().is_terminal() && console::colors_enabled(),
            flipped: self.flip,
        }
    }
}

/// Whether the locale says that text is UTF-8.
fn is_utf8() -> bool {
    let named = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter();
    let mut values = named.filter_map(std::env::var_os);
    let locale = values.find(|value| !value.is_empty());
    locale.map_or(cfg!(windows), |locale| {
        let locale = locale.to_string_lossy().to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}
