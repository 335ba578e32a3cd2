//! The end of the parent process, on Windows.
//!
//! Some GUIs let the engine inherit the write end of its own input. The engine then never sees the end of its input
//! when such a GUI crashes, and would search forever.

use std::io;

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

use crate::search::{USUAL_STACK, start_thread};

/// Starts a thread that calls `action` when the parent process ends, if it is still running.
pub fn on_exit(action: impl FnOnce() + Send + 'static) -> io::Result<()> {
    start_thread("parent", USUAL_STACK, || {
        let mut system = System::new();
        let mut process = |id: Pid| {
            let kind = ProcessRefreshKind::nothing();
            system.refresh_processes_specifics(ProcessesToUpdate::Some(&[id]), false, kind);
            let process = system.process(id)?;
            Some((process.start_time(), process.parent()))
        };
        let Some((started, Some(parent))) = process(Pid::from_u32(std::process::id())) else {
            return;
        };
        // The id of a process that has ended may belong to a newer process.
        if process(parent).is_none_or(|(parent_started, _)| parent_started > started) {
            return;
        }
        if let Some(parent) = system.process(parent) {
            parent.wait();
            log::info!("the parent process has ended");
            action();
        }
    })?;
    Ok(())
}
