//! Platform-specific code: process groups and job objects, processor affinity, niceness, and pipes whose blocking
//! operations can be canceled.
//!
//! On Unix an engine leads a process group. So that the engines are killed even if this process is killed, a helper
//! process receives their process groups through a pipe. When the pipe closes, because this process has ended for any
//! reason, the helper kills the groups that are left. On Windows an engine is in a job object. When this process ends
//! for any reason, the system closes the job object and kills its processes.
//!
//! A child process of an engine may outlive the engine and keep the pipes of the engine open. A thread that is
//! blocked on such a pipe would never end. Therefore the pipes also unblock when a [`Cancel`] is dropped.

use std::process::Child;
use std::time::{Duration, Instant};

/// Interval at which the end of a process is polled.
const POLL: Duration = Duration::from_millis(2);

/// A child process with its process group or job object.
#[derive(Debug)]
pub struct ProcessGroup {
    pub child: Child,
    /// `None` once the processes have been killed.
    #[cfg(windows)]
    job: Option<win32job::Job>,
    #[cfg(windows)]
    limits: win32job::ExtendedLimitInfo,
}

impl ProcessGroup {
    /// Waits up to `timeout` for the process to end, without reaping it. Returns whether it has ended.
    pub fn wait_timeout(&mut self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        loop {
            if self.has_ended() {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            std::thread::sleep(POLL);
        }
    }
}

#[cfg(unix)]
mod system {
    use std::io::{self, PipeReader, PipeWriter, Read, Write};
    use std::os::fd::AsFd;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};
    use std::sync::Arc;

    use parking_lot::Mutex;
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

    use crate::tournament::engine::platform::ProcessGroup;

    impl ProcessGroup {
        /// Starts the command in its own process group, which Ctrl-C does not reach, bound to `cpus` if given.
        pub fn spawn(command: &mut Command, cpus: Option<&[usize]>) -> io::Result<Self> {
            command.process_group(0);
            let mut spawn = || command.spawn().map(|child| Self { child });
            match cpus {
                Some(cpus) => on_processors(cpus, spawn),
                None => spawn(),
            }
        }

        fn pid(&self) -> Option<Pid> {
            i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
        }

        pub fn kill(&mut self) {
            // An error means that no process is left.
            let _ = self.pid().map(|pid| rustix::process::kill_process_group(pid, Signal::KILL));
        }

        /// Whether the process has ended. It is not reaped, so that its id stays reserved and its process group can
        /// still be killed.
        pub fn has_ended(&mut self) -> bool {
            let Some(pid) = self.pid() else { return true };
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            // An error means that the child does not exist any more.
            !matches!(rustix::process::waitid(WaitId::Pid(pid), options), Ok(None))
        }

        pub fn set_nice(&mut self, nice: i32) -> io::Result<()> {
            Ok(rustix::process::setpriority_process(self.pid(), nice)?)
        }

        /// Whether other processes of the group are alive. Must be called after the engine has ended and before it is
        /// reaped. Always `false` if the system is not Linux.
        pub fn has_others(&self) -> bool {
            let group = self.child.id().to_string();
            let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
            let stat =
                |process: std::fs::DirEntry| std::fs::read_to_string(process.path().join("stat"));
            let is_member = |stat: String| {
                // The name may contain any character; after it come state, parent and group.
                let (_, fields) = stat.rsplit_once(')').unwrap_or_default();
                let fields: Vec<&str> = fields.split_ascii_whitespace().take(3).collect();
                matches!(fields[..], [state, _, of] if of == group && state != "Z" && state != "X")
            };
            processes.filter_map(|process| stat(process).ok()).any(is_member)
        }
    }

    /// Calls `spawn` so that the process it starts is bound to `cpus`.
    #[cfg(target_os = "linux")]
    fn on_processors(
        cpus: &[usize],
        spawn: impl FnOnce() -> io::Result<ProcessGroup>,
    ) -> io::Result<ProcessGroup> {
        use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

        // A child inherits the affinity of the thread that starts it.
        let mut set = CpuSet::new();
        for cpu in cpus.iter().filter(|cpu| **cpu < CpuSet::MAX_CPU) {
            set.set(*cpu);
        }
        let ours = sched_getaffinity(None)?;
        sched_setaffinity(None, &set)?;
        let spawned = spawn();
        let restored = sched_setaffinity(None, &ours);
        let mut spawned = spawned?;
        if let Err(error) = restored {
            spawned.kill();
            spawned.child.wait()?;
            return Err(error.into());
        }
        Ok(spawned)
    }

    #[cfg(not(target_os = "linux"))]
    fn on_processors(
        _: &[usize],
        _: impl FnOnce() -> io::Result<ProcessGroup>,
    ) -> io::Result<ProcessGroup> {
        let error = "this system cannot bind a process to processors (--pin, cpus=)";
        Err(io::Error::new(io::ErrorKind::Unsupported, error))
    }

    /// The processors that this process may use; empty if unknown.
    pub fn processors() -> Vec<usize> {
        #[cfg(target_os = "linux")]
        if let Ok(set) = rustix::thread::sched_getaffinity(None) {
            let cpus = 0..rustix::thread::CpuSet::MAX_CPU;
            return cpus.filter(|cpu| set.is_set(*cpu)).collect();
        }
        Vec::new()
    }

    /// The script of the helper process. The lines `+GROUP` and `-GROUP` of its input report the start and end of
    /// process groups.
    const GUARD_SCRIPT: &str = r#"
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

    /// The helper process; `None` until the first engine starts.
    static GUARD: Mutex<Option<Child>> = Mutex::new(None);

    /// A process group that is killed if this process ends before the value is dropped.
    #[derive(Debug)]
    pub struct Guarded {
        group: u32,
    }

    impl Guarded {
        pub fn new(group: u32) -> io::Result<Self> {
            send_to_guard('+', group)?;
            Ok(Self { group })
        }
    }

    impl Drop for Guarded {
        fn drop(&mut self) {
            if let Err(error) = send_to_guard('-', self.group) {
                log::warn!("cannot unregister an engine from the helper process: {error}");
            }
        }
    }

    fn send_to_guard(sign: char, group: u32) -> io::Result<()> {
        let mut guard = GUARD.lock();
        let child = match &mut *guard {
            Some(child) => child,
            none => none.insert(start_guard()?),
        };
        match &mut child.stdin {
            Some(input) => input.write_all(format!("{sign}{group}\n").as_bytes()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn start_guard() -> io::Result<Child> {
        Command::new("/bin/sh")
            .args(["-c", GUARD_SCRIPT, "chuhe-guard"])
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Ctrl-C must not reach it.
            .process_group(0)
            .spawn()
    }

    /// Makes pipes that unblock when this value is dropped.
    #[derive(Debug)]
    pub struct Cancel {
        /// Nothing is written to it; closing it is the signal.
        _sender: PipeWriter,
        receiver: Arc<PipeReader>,
    }

    impl Cancel {
        pub fn new() -> io::Result<Self> {
            let (receiver, sender) = io::pipe()?;
            Ok(Self { _sender: sender, receiver: Arc::new(receiver) })
        }

        /// Wraps a pipe. Its reads and writes fail with [`io::ErrorKind::BrokenPipe`] after `self` is dropped.
        pub fn pipe<T: AsFd>(&self, pipe: T) -> io::Result<Pipe<T>> {
            let flags = fcntl_getfl(&pipe)?;
            // The flag affects only our end of the pipe.
            fcntl_setfl(&pipe, flags | OFlags::NONBLOCK)?;
            let canceled = Arc::clone(&self.receiver);
            Ok(Pipe { pipe, canceled })
        }
    }

    /// Our end of a pipe to or from an engine.
    pub struct Pipe<T> {
        pipe: T,
        canceled: Arc<PipeReader>,
    }

    impl<T: AsFd> Pipe<T> {
        /// Waits until the pipe is ready, then calls `work`.
        fn when_ready<R>(
            &mut self,
            readiness: PollFlags,
            mut work: impl FnMut(&mut T) -> io::Result<R>,
        ) -> io::Result<R> {
            loop {
                let mut ends = [
                    PollFd::new(&self.pipe, readiness),
                    PollFd::new(&*self.canceled, PollFlags::IN),
                ];
                match poll(&mut ends, None) {
                    Err(rustix::io::Errno::INTR) => continue,
                    polled => polled?,
                };
                if !ends[1].revents().is_empty() {
                    return Err(io::ErrorKind::BrokenPipe.into());
                }
                match work(&mut self.pipe) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    done => return done,
                }
            }
        }
    }

    impl<T: AsFd + Read> Read for Pipe<T> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.when_ready(PollFlags::IN, |pipe| pipe.read(buffer))
        }
    }

    impl<T: AsFd + Write> Write for Pipe<T> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.when_ready(PollFlags::OUT, |pipe| pipe.write(bytes))
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
}

#[cfg(windows)]
mod system {
    use std::io;
    use std::os::windows::io::AsRawHandle;
    use std::process::Command;

    use win32job::utils::{get_current_process, get_process_affinity_mask};
    use win32job::{ExtendedLimitInfo, Job, PriorityClass};

    use crate::tournament::engine::platform::ProcessGroup;

    impl ProcessGroup {
        /// Starts the command in its own job object, bound to `cpus` if given.
        pub fn spawn(command: &mut Command, cpus: Option<&[usize]>) -> io::Result<Self> {
            let mut limits = ExtendedLimitInfo::new();
            limits.limit_kill_on_job_close();
            if let Some(cpus) = cpus {
                limits.limit_affinity(mask(cpus));
            }
            let job = Job::create_with_limit_info(&limits).map_err(io::Error::other)?;
            let mut child = command.spawn()?;
            // A process that has already ended cannot be assigned.
            if let Err(error) = job.assign_process(child.as_raw_handle() as isize)
                && child.try_wait()?.is_none()
            {
                let _ = child.kill();
                return Err(io::Error::other(error));
            }
            Ok(Self { child, job: Some(job), limits })
        }

        pub fn kill(&mut self) {
            // Killed first, because a process that ends with its job object has the exit code 0.
            let _ = self.child.kill();
            self.job = None;
        }

        pub fn has_ended(&mut self) -> bool {
            !matches!(self.child.try_wait(), Ok(None))
        }

        /// Sets the priority class that is nearest to a niceness of Unix.
        pub fn set_nice(&mut self, nice: i32) -> io::Result<()> {
            let Some(job) = &self.job else { return Ok(()) };
            let class = match nice {
                ..=-10 => PriorityClass::High,
                -9..=-1 => PriorityClass::AboveNormal,
                0 => PriorityClass::Normal,
                1..=9 => PriorityClass::BelowNormal,
                10.. => PriorityClass::Idle,
            };
            self.limits.limit_priority_class(class);
            job.set_extended_limit_info(&self.limits).map_err(io::Error::other)
        }

        /// Always `false`: whether other processes of the job object are alive is not known.
        pub fn has_others(&self) -> bool {
            false
        }
    }

    /// The affinity mask of a list of processors. Processors beyond the bits of the mask are ignored.
    fn mask(cpus: &[usize]) -> usize {
        let bits = cpus.iter().filter(|cpu| **cpu < usize::BITS as usize);
        bits.fold(0, |mask, cpu| mask | 1 << cpu)
    }

    /// The processors that this process may use; empty if unknown.
    pub fn processors() -> Vec<usize> {
        let masks = get_process_affinity_mask(get_current_process());
        let (mask, _) = masks.unwrap_or_default();
        let cpus = 0..usize::BITS as usize;
        cpus.filter(|cpu| mask & 1 << cpu != 0).collect()
    }

    /// Does nothing on Windows: the job object kills all processes that an engine started, which closes its pipes.
    #[derive(Debug)]
    pub struct Cancel;

    impl Cancel {
        pub fn new() -> io::Result<Self> {
            Ok(Self)
        }

        pub fn pipe<T>(&self, pipe: T) -> io::Result<T> {
            Ok(pipe)
        }
    }
}

#[cfg(unix)]
pub use system::Guarded;
pub use system::{Cancel, processors};

#[cfg(test)]
mod tests {
    use std::io;
    use std::process::{Command, Stdio};
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn an_ended_process_is_polled_twice_and_reaped() {
        // A thread, so that the test fails if reaping never ends.
        let (sender, reaped) = mpsc::channel();
        std::thread::spawn(move || {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.arg("--list").stdout(Stdio::null());
            let mut process = ProcessGroup::spawn(&mut command, None).unwrap();
            assert!(process.wait_timeout(Duration::from_secs(30)));
            assert!(process.wait_timeout(Duration::ZERO));
            process.kill();
            sender.send(process.child.wait().unwrap().success()).unwrap();
        });
        assert_eq!(reaped.recv_timeout(Duration::from_secs(60)), Ok(true));
    }

    #[test]
    fn a_killed_process_ends_and_settings_are_accepted() {
        let mut command = Command::new(std::env::current_exe().unwrap());
        // The command runs a test that waits for input until it is killed.
        command
            .args(["--exact", "tournament::engine::platform::tests::waiting_process", "--ignored"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null());
        let cpus = processors().first().copied().map(|cpu| vec![cpu]);
        let mut process = ProcessGroup::spawn(&mut command, cpus.as_deref()).unwrap();
        process.set_nice(5).unwrap();
        assert!(!process.wait_timeout(Duration::from_millis(100)));
        process.kill();
        assert!(process.wait_timeout(Duration::from_secs(30)));
        assert!(!process.child.wait().unwrap().success());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_failed_start_leaves_the_thread_on_its_processors() {
        let before = processors();
        let cpus = before.last().map(|cpu| vec![*cpu]);
        let failed = ProcessGroup::spawn(&mut Command::new("/no/such/engine"), cpus.as_deref());
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(processors(), before);
    }

    #[test]
    #[ignore = "started by another test"]
    fn waiting_process() {
        let mut line = String::new();
        io::stdin().read_line(&mut line).unwrap();
    }
}
