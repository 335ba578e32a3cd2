//! Platform-specific code: process groups, processor affinity, niceness.

use std::io;
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap};

/// Interval at which the end of a process is polled.
const POLL: Duration = Duration::from_millis(2);

/// Starts the command in its own process group, which Ctrl-C does not reach and which can be killed as a whole.
pub(super) fn own_group(command: &mut CommandWrap) {
    #[cfg(unix)]
    command.wrap(process_wrap::std::ProcessGroup::leader());
    #[cfg(windows)]
    command.wrap(process_wrap::std::JobObject);
}

/// Waits up to `timeout` for a process to end, without reaping it.
pub(super) fn wait(child: &mut dyn ChildWrapper, timeout: Duration) -> bool {
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

/// Whether a process has ended. It is not reaped, so that its id stays reserved and its process group can still be
/// killed.
#[cfg(unix)]
fn has_ended(child: &mut dyn ChildWrapper) -> bool {
    use rustix::process::{WaitId, WaitIdOptions, waitid};

    let Some(pid) = pid(child) else { return true };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    // An error means that the child does not exist any more.
    !matches!(waitid(WaitId::Pid(pid), options), Ok(None))
}

#[cfg(not(unix))]
fn has_ended(child: &mut dyn ChildWrapper) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

#[cfg(unix)]
fn pid(child: &dyn ChildWrapper) -> Option<rustix::process::Pid> {
    let pid = i32::try_from(child.id()).ok();
    pid.and_then(rustix::process::Pid::from_raw)
}

/// Whether other processes of the group of an ended, unreaped process are alive.
#[cfg(target_os = "linux")]
pub(super) fn has_group(child: &dyn ChildWrapper) -> bool {
    let group = child.id().to_string();
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let stat = |process: std::fs::DirEntry| std::fs::read_to_string(process.path().join("stat"));
    let is_member = |stat: String| {
        // The name may contain any character; after it come state, parent and group.
        let (_, fields) = stat.rsplit_once(')').unwrap_or_default();
        let fields: Vec<&str> = fields.split_ascii_whitespace().take(3).collect();
        matches!(fields[..], [state, _, of] if of == group && state != "Z" && state != "X")
    };
    processes
        .filter_map(|process| stat(process).ok())
        .any(is_member)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn has_group(_: &dyn ChildWrapper) -> bool {
    false
}

#[cfg(unix)]
pub(super) fn set_nice(child: &dyn ChildWrapper, nice: i32) -> io::Result<()> {
    Ok(rustix::process::setpriority_process(pid(child), nice)?)
}

#[cfg(not(unix))]
pub(super) fn set_nice(_: &dyn ChildWrapper, _: i32) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Calls `spawn` so that the process it starts is bound to `cpus`.
#[cfg(target_os = "linux")]
pub(super) fn on_processors<T>(
    cpus: &[usize],
    spawn: impl FnOnce() -> io::Result<T>,
) -> io::Result<T> {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    // A child inherits the affinity of the thread that starts it.
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

/// The processors that this process may use.
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
