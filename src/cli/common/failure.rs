//! Errors of the subcommands, their exit codes, and Ctrl-C.

use std::fmt::Display;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use crossbeam_channel::{Receiver, bounded};
use parking_lot::Mutex;

use super::progress::print_to_stderr;
use crate::search::Control;
use crate::text::{Replacement, is_reader_gone, translated};

/// An error of a command, as text for the user.
#[derive(Debug)]
pub struct Failure {
    pub text: String,
    /// The exit code of the program.
    pub code: u8,
    /// Whether the output cannot be written, so that a command does not continue with its next input.
    pub is_output_error: bool,
}

const FAILED: u8 = 1;
/// The exit code for invalid arguments, the same as clap's.
const MISUSED: u8 = 2;
/// The exit code of a command that stops early after Ctrl-C, SIGTERM or SIGHUP: 128 plus SIGINT, as in shells.
pub const INTERRUPTED: u8 = 130;

impl Failure {
    /// The file, option or activity `what` failed because of `why`.
    pub fn new(what: impl Display, why: impl Display) -> Self {
        Self::message(format!("{what}: {why}"))
    }

    /// The output `what` cannot be written because of `why`.
    pub fn of_output(what: impl Display, why: impl Display) -> Self {
        Self { is_output_error: true, ..Self::new(what, why) }
    }

    /// An error whose text is complete by itself.
    pub fn message(text: impl Display) -> Self {
        Self { text: text.to_string(), code: FAILED, is_output_error: false }
    }

    /// The argument or option `what` is invalid because of `why`.
    pub fn usage(what: impl Display, why: impl Display) -> Self {
        Self { code: MISUSED, ..Self::new(what, why) }
    }

    /// A command was interrupted; running the same command again continues its work.
    #[cfg(feature = "cloud")]
    pub fn interrupted() -> Self {
        Self {
            code: INTERRUPTED,
            ..Self::message("interrupted; run the same command again to continue")
        }
    }

    /// Prints the message to standard error.
    pub fn report(&self) {
        print_to_stderr(&format!("chuhe: {}", translated(&self.text)));
    }
}

/// Returns an error if the argument or option `what` is invalid because of `why`.
pub fn refuse_if(is_invalid: bool, what: impl Display, why: impl Display) -> Result<(), Failure> {
    if is_invalid { Err(Failure::usage(what, why)) } else { Ok(()) }
}

pub trait Context<T> {
    /// Names the file, option or activity that the error is about.
    fn context(self, what: impl Display) -> Result<T, Failure>;
}

impl<T, E: Display> Context<T> for Result<T, E> {
    fn context(self, what: impl Display) -> Result<T, Failure> {
        self.map_err(|error| Failure::new(what, error))
    }
}

/// Ignores a closed pipe or socket, so that `chuhe bench | head` ends without an error.
pub fn ignore_closed_pipe(error: io::Error) -> io::Result<()> {
    if is_reader_gone(&error) { Ok(()) } else { Err(error) }
}

/// The exit code of a command that succeeded or was interrupted.
pub fn exit_code(is_interrupted: bool) -> ExitCode {
    if is_interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS }
}

/// Returns a channel that receives a message on Ctrl-C, SIGTERM or SIGHUP. These signals then no longer end the
/// program; only a second signal does, if it arrives before the message of the first one is received. A later call
/// replaces the channel.
pub fn interrupts() -> Result<Receiver<()>, Failure> {
    let (sender, interrupts) = bounded(1);
    on_interrupt(move || {
        if sender.try_send(()).is_err() {
            Replacement::remove_unfinished();
            std::process::exit(i32::from(INTERRUPTED));
        }
    })?;
    Ok(interrupts)
}

/// The function for signals, see [`on_interrupt`].
static HANDLER: Mutex<Option<Box<dyn Fn() + Send>>> = Mutex::new(None);

/// Calls a function for each Ctrl-C, SIGTERM or SIGHUP, in the thread that waits for signals. These signals then no
/// longer end the program. A later call replaces the function.
///
/// A SIGHUP that is ignored when the program starts, as under `nohup`, remains ignored. Outside Linux it is unknown
/// whether SIGHUP is ignored. There, if neither standard output nor standard error is a terminal, SIGHUP keeps the
/// effect that it had at the start, and the function is not called.
pub fn on_interrupt(handler: impl Fn() + Send + 'static) -> Result<(), Failure> {
    *HANDLER.lock() = Some(Box::new(handler));
    watch_signals().context("Ctrl-C")
}

/// After this call, the unfinished output files are removed before a signal ends the program. This has no effect on
/// signals that are handled by [`on_interrupt`]. Signals that are ignored when the program starts remain ignored (on
/// Linux). Ignores all errors.
pub fn remove_unfinished_at_interrupt() {
    let _ = watch_signals();
}

/// The search that Ctrl-C stops, see [`stopped_by_ctrl_c`].
static SEARCH: Mutex<Option<Arc<Control>>> = Mutex::new(None);

/// Runs a search that the first Ctrl-C stops, even if SIGINT was ignored when the program started. A second one, before
/// the search has stopped, ends the program unless SIGINT was ignored. If the thread for signals cannot be started,
/// Ctrl-C has its usual effect.
pub fn stopped_by_ctrl_c<T>(control: &Arc<Control>, search: impl FnOnce() -> T) -> T {
    *SEARCH.lock() = Some(Arc::clone(control));
    let _ = watch_signals();
    let found = search();
    *SEARCH.lock() = None;
    found
}

/// Stops the search of [`stopped_by_ctrl_c`]. Returns whether one is running.
fn stop_search() -> bool {
    let search = SEARCH.lock().take();
    if let Some(control) = &search {
        control.stop();
    }
    search.is_some()
}

/// Starts the thread for signals if it does not run yet.
fn watch_signals() -> io::Result<()> {
    static IS_WATCHING: Mutex<bool> = Mutex::new(false);
    let mut is_watching = IS_WATCHING.lock();
    if !*is_watching {
        start_watching()?;
        *is_watching = true;
    }
    Ok(())
}

/// Calls the function of [`on_interrupt`]. Without one, removes the unfinished output files and calls `end`.
fn interrupt(end: impl FnOnce()) {
    if let Some(handler) = &*HANDLER.lock() {
        handler();
    } else {
        Replacement::remove_unfinished();
        end();
    }
}

#[cfg(unix)]
fn start_watching() -> io::Result<()> {
    use std::io::IsTerminal;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // Without `/proc` it is unknown which signals were ignored. `nohup` ignores SIGHUP and redirects output from the
    // terminal, so a program that writes to a terminal does not run under it.
    let is_on_terminal = || io::stdout().is_terminal() || io::stderr().is_terminal();
    let ignored = mask.unwrap_or_else(|| u64::from(!is_on_terminal()) << (SIGHUP - 1));
    let was_ignored = move |signal: i32| ignored & (1 << (signal - 1)) != 0;
    let hangup = (!was_ignored(SIGHUP)).then_some(SIGHUP);
    let signals = [SIGINT, SIGTERM, SIGXFSZ].into_iter().chain(hangup);
    let mut signals = signal_hook::iterator::Signals::new(signals)?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            if signal == SIGINT && stop_search() {
                continue;
            }
            // A handled SIGXFSZ makes a write beyond the file size limit (`ulimit -f`) fail.
            let is_file_limit = signal == SIGXFSZ;
            if is_file_limit || was_ignored(signal) && HANDLER.lock().is_none() {
                continue;
            }
            interrupt(|| {
                // The kernel ignores the default action of signals in the first process of a container.
                if std::process::id() == 1 {
                    std::process::exit(128 + signal);
                }
                // The exit status names the signal, so that a loop in a shell ends too.
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            });
        }
    })?;
    Ok(())
}

#[cfg(not(unix))]
fn start_watching() -> io::Result<()> {
    ctrlc::set_handler(|| {
        if !stop_search() {
            interrupt(|| std::process::exit(i32::from(INTERRUPTED)));
        }
    })
    .map_err(io::Error::other)
}
