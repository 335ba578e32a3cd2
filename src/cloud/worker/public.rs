//! Batches of tasks as the workers of the public library read them: lines of text.

use std::fmt::Write;

use crate::cloud::fen;
use crate::cloud::library::Library;
use crate::cloud::store::{Priority, StoreError, Task, TaskKind};

/// Tasks of a batch.
const COUNT: usize = 10;

impl Library {
    /// Hands tasks out for so many seconds, as text; an empty one when there is nothing to do.
    ///
    /// A task to score moves is the line `FEN`, for the best move of the position, and a line `FEN moves
    /// M` for each move; a task to sieve is `FEN`, or `!FEN` where it is urgent. The batch has no
    /// number: it is named by the MD5 of its text.
    ///
    /// # Errors
    /// The library cannot be read or written.
    pub fn lease_as_text(&self, kind: TaskKind, seconds: i64) -> Result<String, StoreError> {
        let number = |tasks: &[Task]| number(&name(&write(tasks)));
        let lease = (self.store).lease_by_name(kind, COUNT, seconds, number)?;
        Ok(write(&lease.tasks))
    }

    /// Ends the lease of a batch with a name.
    ///
    /// # Errors
    /// The library cannot be written.
    pub fn end_named_lease(&self, name: &str) -> Result<(), StoreError> {
        let number = number(name);
        self.store
            .write(move |batch| batch.finish_lease(number))
            .map(drop)
    }
}

/// The lines of tasks. Those of positions that are none are left out.
fn write(tasks: &[Task]) -> String {
    let mut text = String::new();
    for task in tasks {
        let Some(board) = task.key.position().map(|position| fen::write(&position)) else {
            continue;
        };
        let is_urgent = task.kind == TaskKind::Sieving && task.priority == Priority::Urgent;
        // A string takes whatever is written.
        let _ = writeln!(text, "{}{board}", if is_urgent { "!" } else { "" });
        for m in &task.moves {
            let _ = writeln!(text, "{board} moves {m}");
        }
    }
    text
}

/// The name of a batch.
fn name(text: &str) -> String {
    format!("{:x}", md5::compute(text))
}

/// The number of the lease of a batch with a name, less than 0; 0 for a text that is no name.
fn number(name: &str) -> i64 {
    let digits = name.get(..16).filter(|_| name.len() == 32);
    let number = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    number.map_or(0, |number| {
        -i64::try_from(number >> 1).unwrap_or(i64::MAX).max(1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_numbers() {
        assert_eq!(number("00000000000000000000000000000000"), -1);
        assert_eq!(number("ffffffffffffffffffffffffffffffff"), -i64::MAX);
        assert_eq!(
            number("064b2fed5a9455a8e5990630ee68fc86"),
            -0x0325_97f6_ad4a_2ad4
        );
        for wrong in [
            "",
            "064b",
            "g64b2fed5a9455a8e5990630ee68fc86",
            "+64b2fed5a9455a8e5990630ee68fc860",
        ] {
            assert_eq!(number(wrong), 0, "{wrong}");
        }
    }
}
