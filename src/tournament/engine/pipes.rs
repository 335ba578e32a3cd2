//! Pipes whose blocking operations can be ended.
//!
//! What an engine has started may outlive it and keep its pipes open. A thread that waits at such a
//! pipe would wait for ever; here it waits for a [`Cancel`] to be dropped as well.

#[cfg(unix)]
mod system {
    use std::io::{self, Read, Write};
    use std::os::fd::{AsFd, OwnedFd};
    use std::sync::Arc;

    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    use rustix::pipe::{PipeFlags, pipe_with};

    /// Ends the waiting at the pipes made with it when it is dropped.
    #[derive(Debug)]
    pub(in super::super) struct Cancel {
        /// Nothing is written to it; its end is what counts.
        _sender: OwnedFd,
        receiver: Arc<OwnedFd>,
    }

    impl Cancel {
        pub(in super::super) fn new() -> io::Result<Self> {
            let (receiver, sender) = pipe_with(PipeFlags::CLOEXEC)?;
            Ok(Self {
                _sender: sender,
                receiver: Arc::new(receiver),
            })
        }

        /// A pipe at which nothing waits once this is dropped.
        pub(in super::super) fn pipe<T: AsFd>(&self, pipe: T) -> io::Result<Pipe<T>> {
            let flags = fcntl_getfl(&pipe)?;
            // This end belongs to us alone, so that the engine does not see it.
            fcntl_setfl(&pipe, flags | OFlags::NONBLOCK)?;
            let cancelled = Arc::clone(&self.receiver);
            Ok(Pipe { pipe, cancelled })
        }
    }

    /// An end of a pipe to or from an engine.
    pub(in super::super) struct Pipe<T> {
        pipe: T,
        cancelled: Arc<OwnedFd>,
    }

    impl<T: AsFd> Pipe<T> {
        /// Does something as soon as the pipe is ready for it.
        fn when_ready<R>(
            &mut self,
            readiness: PollFlags,
            mut work: impl FnMut(&mut T) -> io::Result<R>,
        ) -> io::Result<R> {
            loop {
                let mut ends = [
                    PollFd::new(&self.pipe, readiness),
                    PollFd::new(&*self.cancelled, PollFlags::IN),
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

#[cfg(not(unix))]
mod system {
    use std::io;

    /// Elsewhere all that an engine has started ends with it, and so do its pipes.
    #[derive(Debug)]
    pub(in super::super) struct Cancel;

    impl Cancel {
        pub(in super::super) fn new() -> io::Result<Self> {
            Ok(Self)
        }

        pub(in super::super) fn pipe<T>(&self, pipe: T) -> io::Result<T> {
            Ok(pipe)
        }
    }
}

pub(super) use system::Cancel;
