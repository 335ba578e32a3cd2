//! Pipes whose blocking operations can be cancelled.
//!
//! A process that was started by an engine may outlive it and keep its pipes open, so that a thread blocked on such a
//! pipe would never end. These pipes also unblock when a [`Cancel`] is dropped.

#[cfg(unix)]
mod system {
    use std::io::{self, PipeReader, PipeWriter, Read, Write};
    use std::os::fd::AsFd;
    use std::sync::Arc;

    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

    /// Unblocks the pipes made with it when it is dropped.
    #[derive(Debug)]
    pub struct Cancel {
        /// Nothing is written to it; closing it is the signal.
        _sender: PipeWriter,
        receiver: Arc<PipeReader>,
    }

    impl Cancel {
        pub fn new() -> io::Result<Self> {
            let (receiver, sender) = io::pipe()?;
            Ok(Self {
                _sender: sender,
                receiver: Arc::new(receiver),
            })
        }

        /// Wraps a pipe so that it unblocks when this is dropped.
        pub fn pipe<T: AsFd>(&self, pipe: T) -> io::Result<Pipe<T>> {
            let flags = fcntl_getfl(&pipe)?;
            // The flag affects only our end of the pipe.
            fcntl_setfl(&pipe, flags | OFlags::NONBLOCK)?;
            let cancelled = Arc::clone(&self.receiver);
            Ok(Pipe { pipe, cancelled })
        }
    }

    /// Our end of a pipe to or from an engine.
    pub struct Pipe<T> {
        pipe: T,
        cancelled: Arc<PipeReader>,
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

    /// On Windows the job object kills all processes that an engine started, which closes its pipes.
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

pub use system::Cancel;
