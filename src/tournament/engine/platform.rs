//! What each system does in its own way: groups of processes, processors, niceness.

use std::io;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// How often a process that is to end is looked at.
const POLL: Duration = Duration::from_millis(2);

/// Waits until a process has ended or `timeout` is over, but leaves it to be reaped.
pub(super) fn wait(child: &mut Child, timeout: Duration) -> bool {
    let deadline = Instant::now() + timeout;
    loop {
        if has_ended(child) {
            return true;
        }
        if Instant::now() >= deadline {
            return false;
        }
        std::thread::sleep(POLL);
    }
}

#[cfg(unix)]
mod system {
    use std::os::unix::process::CommandExt;

    use rustix::process::{
        Pid, Signal, WaitId, WaitIdOptions, kill_process_group, setpriority_process, waitid,
    };

    use super::*;

    fn pid(child: &Child) -> Option<Pid> {
        i32::try_from(child.id()).ok().and_then(Pid::from_raw)
    }

    /// Makes the process the first of a group of its own, which a Ctrl-C does not reach.
    pub(in super::super) fn own_group(command: &mut Command) {
        command.process_group(0);
    }

    /// Kills a process that has not been reaped, with all that it has started.
    pub(in super::super) fn kill_group(child: &mut Child) {
        if let Some(pid) = pid(child) {
            // An error says that nothing is left to be killed.
            let _ = kill_process_group(pid, Signal::KILL);
        }
        let _ = child.kill();
    }

    pub(super) fn has_ended(child: &mut Child) -> bool {
        let Some(pid) = pid(child) else { return true };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // An error says that there is no such child any more.
        !matches!(waitid(WaitId::Pid(pid), options), Ok(None))
    }

    pub(in super::super) fn set_nice(child: &Child, nice: i32) -> io::Result<()> {
        Ok(setpriority_process(pid(child), nice)?)
    }
}

#[cfg(not(unix))]
mod system {
    use super::*;

    pub(in super::super) fn own_group(_: &mut Command) {}

    pub(in super::super) fn kill_group(child: &mut Child) {
        // An error says that it has ended.
        let _ = child.kill();
    }

    pub(super) fn has_ended(child: &mut Child) -> bool {
        !matches!(child.try_wait(), Ok(None))
    }

    pub(in super::super) fn set_nice(_: &Child, _: i32) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

use system::has_ended;
pub(super) use system::{kill_group, own_group, set_nice};

/// Does `spawn` in such a way that the process it starts runs on `cpus` alone.
#[cfg(target_os = "linux")]
pub(super) fn on_processors<T>(
    cpus: &[usize],
    spawn: impl FnOnce() -> io::Result<T>,
) -> io::Result<T> {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    // A child inherits the processors of the thread that starts it.
    let mut set = CpuSet::new();
    for cpu in cpus.iter().filter(|cpu| **cpu < CpuSet::MAX_CPU) {
        set.set(*cpu);
    }
    let ours = sched_getaffinity(None)?;
    sched_setaffinity(None, &set)?;
    let spawned = spawn();
    sched_setaffinity(None, &ours)?;
    spawned
}

#[cfg(not(target_os = "linux"))]
pub(super) fn on_processors<T>(_: &[usize], _: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The processors that we may use.
#[cfg(target_os = "linux")]
pub(in super::super) fn processors() -> Vec<usize> {
    use rustix::thread::{CpuSet, sched_getaffinity};

    let set = sched_getaffinity(None).unwrap_or_else(|_| CpuSet::new());
    (0..CpuSet::MAX_CPU)
        .filter(|cpu| set.is_set(*cpu))
        .collect()
}

#[cfg(not(target_os = "linux"))]
pub(in super::super) fn processors() -> Vec<usize> {
    Vec::new()
}
