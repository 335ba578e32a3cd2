//! Ctrl-C and the like.

use crossbeam_channel::{Receiver, bounded};

use crate::cli::common::Failure;

/// A channel with a message for Ctrl-C, SIGTERM or SIGHUP, which from now on do not end the program
/// themselves. May be called once.
///
/// # Errors
/// The system refuses, or somebody has called this before.
pub(in crate::cli) fn interrupts() -> Result<Receiver<()>, Failure> {
    let (sender, interrupts) = bounded(1);
    ctrlc::set_handler(move || {
        // Where one message waits, a second says nothing more.
        let _ = sender.try_send(());
    })
    .map_err(|error| Failure::new("Ctrl-C", error))?;
    Ok(interrupts)
}
