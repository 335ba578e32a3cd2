//! Ctrl-C and the like.

use crossbeam_channel::{Receiver, bounded};

use crate::cli::common::{Failure, INTERRUPTED};

/// A channel with a message for Ctrl-C, SIGTERM or SIGHUP, which from now on do not end the program
/// themselves; but where a message waits unread, for the work does not come round to it, another signal
/// does. May be called once.
///
/// # Errors
/// The system refuses, or this was called before.
pub(in crate::cli) fn interrupts() -> Result<Receiver<()>, Failure> {
    let (sender, interrupts) = bounded(1);
    ctrlc::set_handler(move || {
        if sender.try_send(()).is_err() {
            std::process::exit(i32::from(INTERRUPTED));
        }
    })
    .map_err(|error| Failure::new("Ctrl-C", error))?;
    Ok(interrupts)
}
