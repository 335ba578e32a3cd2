//! Engines do not outlive us, even if we are killed.
//!
//! A small process of its own reads which engines run from a pipe. When the pipe ends, because we
//! have ended in whatever way, it kills those that are left, with all that they have started.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Lines `+GROUP` and `-GROUP` say which groups of processes begin and end.
const SCRIPT: &str = r#"
groups=' '
while read -r line; do
    group=${line#?}
    case $line in
        +*) groups="$groups$group " ;;
        -*) case $groups in
                *" $group "*) groups="${groups%%" $group "*} ${groups#*" $group "}" ;;
            esac ;;
    esac
done
for group in $groups; do
    kill -s KILL -- "-$group"
done
"#;

/// The guard of this process, once it has been needed.
static GUARD: Mutex<Option<Child>> = Mutex::new(None);

/// Has a group of processes killed when we end before this is dropped.
#[derive(Debug)]
pub(super) struct Guarded {
    group: u32,
}

impl Guarded {
    /// Guards a group.
    ///
    /// # Errors
    /// The guard cannot be started.
    pub(super) fn new(group: u32) -> io::Result<Self> {
        send('+', group)?;
        Ok(Self { group })
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        if let Err(error) = send('-', self.group) {
            log::warn!("the guard of the engines: {error}");
        }
    }
}

fn send(sign: char, group: u32) -> io::Result<()> {
    let mut guard = GUARD.lock().unwrap_or_else(PoisonError::into_inner);
    let child = match &mut *guard {
        Some(child) => child,
        none => none.insert(start()?),
    };
    match &mut child.stdin {
        Some(input) => input.write_all(format!("{sign}{group}\n").as_bytes()),
        None => Err(io::ErrorKind::BrokenPipe.into()),
    }
}

fn start() -> io::Result<Child> {
    Command::new("/bin/sh")
        .args(["-c", SCRIPT, "chuhe-guard"])
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Ctrl-C is not for it.
        .process_group(0)
        .spawn()
}
