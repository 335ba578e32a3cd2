//! A pseudo-terminal, for tests of programs at a terminal.

use std::ffi::CString;
use std::fs::File;
use std::io::Read;
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{tcgetwinsize, tcsetwinsize};

/// A terminal in which programs can be started.
pub struct Terminal {
    name: CString,
}

impl Terminal {
    /// Creates a terminal. Reading the file gives what programs write to the terminal; what is written to the file is
    /// their input.
    pub fn new() -> (Self, File) {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        (Self { name }, File::from(master))
    }

    /// Sets the width of the terminal, and its height to 40 rows.
    #[allow(dead_code, reason = "builds without some features do not use it")]
    pub fn set_columns(&self, columns: u16) {
        let terminal = self.open();
        let mut size = tcgetwinsize(&terminal).unwrap();
        (size.ws_col, size.ws_row) = (columns, 40);
        tcsetwinsize(&terminal, size).unwrap();
    }

    /// Receives what programs write to the terminal. A thread reads it, because reading from a terminal has no time
    /// limit.
    #[allow(dead_code, reason = "builds without some features do not use it")]
    pub fn receive(mut screen: File) -> Receiver<Vec<u8>> {
        let (sender, parts) = channel();
        thread::spawn(move || {
            let mut part = [0; 1000];
            while let Ok(length) = screen.read(&mut part)
                && sender.send(part[..length].to_vec()).is_ok()
            {}
        });
        parts
    }

    /// Runs a command that writes to the terminal of `screen`, and must succeed. Returns what is written.
    pub fn shown(mut command: Command, mut screen: File) -> String {
        let child = command.spawn().unwrap();
        // Reading ends with an error once no process has the terminal open. The `Command` also keeps it open.
        drop(command);
        let mut shown = Vec::new();
        let _ = screen.read_to_end(&mut shown);
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        String::from_utf8(shown).unwrap()
    }

    /// Opens the terminal as a standard stream of a program.
    pub fn open(&self) -> File {
        let path = self.name.to_str().unwrap();
        File::options().read(true).write(true).open(path).unwrap()
    }
}
