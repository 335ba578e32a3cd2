//! Kills the engines when this process ends, even if it is killed.
//!
//! A helper process reads from a pipe which engines are running. When the pipe closes, because this process has
//! ended for any reason, it kills the remaining process groups.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use parking_lot::Mutex;

/// The lines `+GROUP` and `-GROUP` report the start and end of process groups.
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

/// The helper process, once it was started.
static GUARD: Mutex<Option<Child>> = Mutex::new(None);

/// A process group that is killed if this process ends before the value is dropped.
#[derive(Debug)]
pub struct Guarded {
    group: u32,
}

impl Guarded {
    /// Registers a process group.
    pub fn new(group: u32) -> io::Result<Self> {
        send('+', group)?;
        Ok(Self { group })
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        if let Err(error) = send('-', self.group) {
            log::warn!("cannot unregister an engine from the helper process: {error}");
        }
    }
}

fn send(sign: char, group: u32) -> io::Result<()> {
    let mut guard = GUARD.lock();
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
        // Ctrl-C must not reach it.
        .process_group(0)
        .spawn()
}
