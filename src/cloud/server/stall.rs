//! A time limit for clients that do not read their replies.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::AsyncWrite;
use tokio::time::{Sleep, sleep};

/// A writer that fails if no byte can be written for some time, because the client does not read. The time in which
/// there is nothing to write does not count.
#[derive(Debug)]
pub struct StallLimit<W> {
    writer: W,
    limit: Duration,
    /// The end of the time for the write in progress.
    end: Option<Pin<Box<Sleep>>>,
}

impl<W> StallLimit<W> {
    pub fn new(writer: W, limit: Duration) -> Self {
        Self {
            writer,
            limit,
            end: None,
        }
    }

    fn limited(
        &mut self,
        written: Poll<io::Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.end = None;
            return written;
        }
        let limit = self.limit;
        let end = self.end.get_or_insert_with(|| Box::pin(sleep(limit)));
        let is_over = end.as_mut().poll(context);
        is_over.map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for StallLimit<W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.writer).poll_write(context, bytes);
        self.limited(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.writer).poll_write_vectored(context, parts);
        self.limited(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.writer.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    #[test]
    fn only_a_write_without_progress_fails() {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_time().build().unwrap();
        runtime.block_on(async {
            const LIMIT: Duration = Duration::from_millis(400);
            let (server, mut client) = duplex(4);
            let mut writer = StallLimit::new(server, LIMIT);
            // A slow reader, and a time without writes.
            let read = async {
                let mut bytes = [0; 12];
                for part in bytes.chunks_mut(4) {
                    sleep(LIMIT / 2).await;
                    client.read_exact(part).await.unwrap();
                }
                sleep(LIMIT * 2).await;
            };
            let (written, ()) = tokio::join!(writer.write_all(&[1; 12]), read);
            assert!(written.is_ok());
            let error = writer.write_all(&[1; 12]).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        });
    }
}
