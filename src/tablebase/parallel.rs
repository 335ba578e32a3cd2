//! Work in parts on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Has `threads` threads work on the parts 0 to `parts`.
pub(super) fn for_each_part(threads: usize, parts: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    let run = || {
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= parts {
                return;
            }
            work(part);
        }
    };
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(run)));
        run();
    });
}
