//! A pseudo-terminal, for what programs do on a terminal.

use std::ffi::CString;
use std::fs::File;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{tcgetwinsize, tcsetwinsize};

/// A terminal that programs can be started on.
pub struct Terminal {
    name: CString,
}

impl Terminal {
    /// A new one, and its other side: what programs write on it is read there, and the other way round.
    pub fn new() -> (Self, File) {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        (Self { name }, File::from(master))
    }

    /// Says how wide it is.
    #[allow(dead_code, reason = "not every test that has a terminal needs it")]
    pub fn set_columns(&self, columns: u16) {
        let terminal = self.open();
        let mut size = tcgetwinsize(&terminal).unwrap();
        (size.ws_col, size.ws_row) = (columns, 40);
        tcsetwinsize(&terminal, size).unwrap();
    }

    /// It as a standard stream of a program.
    pub fn open(&self) -> File {
        let path = self.name.to_str().unwrap();
        File::options().read(true).write(true).open(path).unwrap()
    }
}
