//! Starting, awaiting and ending child processes.

#![allow(dead_code, reason = "builds without some features do not use all of it")]

use std::ops::{Deref, DerefMut};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use crate::engine_client::PATIENCE;

/// A child process that is killed when the value is dropped.
pub(crate) struct Running(pub(crate) Child);

impl Deref for Running {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Fails if it has already exited.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A command that starts another one, with its directory and environment: a program with its first arguments, followed
/// by the other command.
pub(crate) fn started_by(words: &[&str], command: &Command) -> Command {
    let mut starter = Command::new(words[0]);
    starter.args(&words[1..]).arg(command.get_program()).args(command.get_args());
    if let Some(dir) = command.get_current_dir() {
        starter.current_dir(dir);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => starter.env(name, value),
            None => starter.env_remove(name),
        };
    }
    starter
}

/// A command that a shell starts after `setup`, for example `ulimit -v 100000`.
#[cfg(unix)]
pub(crate) fn in_shell(setup: &str, command: &Command) -> Command {
    started_by(&["sh", "-c", &format!("{setup}; exec \"$@\""), "sh"], command)
}

#[cfg(unix)]
pub(crate) fn send_signal(child: &Child, signal: rustix::process::Signal) {
    rustix::process::kill_process(rustix::process::Pid::from_child(child), signal).unwrap();
}

/// Waits until the condition holds.
pub(crate) fn wait_until(condition: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "the condition does not hold after {PATIENCE:?}");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Waits until the condition holds; the child process must not end before.
pub(crate) fn wait_for(child: &mut Child, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        if let Some(status) = child.try_wait().unwrap() {
            let errors = child.stderr.take().map(std::io::read_to_string);
            panic!("the process has ended: {status}, {errors:?}");
        }
        if Instant::now() > deadline {
            child.kill().unwrap();
            panic!("the condition does not hold after {PATIENCE:?}");
        }
        thread::sleep(Duration::from_millis(5));
    }
}
