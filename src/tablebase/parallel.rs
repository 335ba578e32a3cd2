//! Work in parts on several threads.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;

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

/// What `threads` threads come to, in their order; `work` is called with the number of each, from 0.
pub(super) fn map_threads<T: Send>(threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let work = &work;
        let handles: Vec<_> = (0..threads)
            .map(|number| scope.spawn(move || work(number)))
            .collect();
        // A panic there is one here.
        let join = |handle: ScopedJoinHandle<'_, T>| {
            handle.join().unwrap_or_else(|fault| resume_unwind(fault))
        };
        handles.into_iter().map(join).collect()
    })
}
