//! Checkpoint files: the state of a training run after a pass, to resume it after an interruption.
//!
//! Format: `CHUHETR` and a zero byte; the length of the header (4 bytes); the header as JSON (version, recipe, number
//! of steps, reports of the passes, checksums of the samples and of the initial network); the parameters and both
//! moment estimates of the optimizer (AdamW) as 32-bit floating-point numbers; the CRC-32C of all bytes before it.
//! All numbers are little-endian.

use serde::{Deserialize, Serialize};

use super::recipe::Recipe;
use super::trainer::{PassReport, Trainer};
use crate::eval::nnue::simd::FloatBlock;

const MAGIC: &[u8; 8] = b"CHUHETR\0";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct CheckpointHeader {
    version: u32,
    recipe: Recipe,
    steps: u64,
    samples: u64,
    /// Checksum of the initial network; 0 for random weights.
    #[serde(default)]
    start: u32,
    reports: Vec<PassReport>,
}

const VERSION: u32 = 1;

/// The reason why a run cannot resume from a checkpoint.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CheckpointError {
    /// Not a checkpoint, or of an unsupported version.
    #[error("not a checkpoint of this program")]
    Foreign,
    /// The checksum or a length is wrong.
    #[error("the checkpoint is incomplete or damaged")]
    Damaged,
    #[error("the checkpoint belongs to another {0}")]
    Other(&'static str),
}

impl Trainer {
    /// Encodes the state of the run. `samples` is the checksum of its samples.
    pub fn checkpoint(&self, samples: u64, reports: &[PassReport]) -> Vec<u8> {
        let head = CheckpointHeader {
            version: VERSION,
            recipe: self.recipe().clone(),
            steps: self.optimizer.steps,
            samples,
            start: self.start_checksum,
            reports: reports.to_vec(),
        };
        let head = serde_json::to_vec(&head).unwrap_or_default();
        let mut bytes = MAGIC.to_vec();
        bytes.extend((head.len() as u32).to_le_bytes());
        bytes.extend(&head);
        for part in [&self.parameters, &self.optimizer.mean, &self.optimizer.square] {
            let numbers = FloatBlock::numbers(part).iter();
            numbers.for_each(|number| bytes.extend(number.to_le_bytes()));
        }
        bytes.extend(crc32c::crc32c(&bytes).to_le_bytes());
        bytes
    }

    /// Resumes from a checkpoint of the same recipe, samples and initial network. Returns the reports of its
    /// passes.
    ///
    /// # Errors
    /// The bytes are not a valid checkpoint of this run. The trainer is then unchanged.
    pub fn resume(
        &mut self,
        bytes: &[u8],
        samples: u64,
    ) -> Result<Vec<PassReport>, CheckpointError> {
        let (content, checksum) = bytes
            .split_last_chunk::<4>()
            .filter(|(content, _)| content.starts_with(MAGIC))
            .ok_or(CheckpointError::Foreign)?;
        if crc32c::crc32c(content) != u32::from_le_bytes(*checksum) {
            return Err(CheckpointError::Damaged);
        }
        let (length, rest) =
            content[MAGIC.len()..].split_first_chunk::<4>().ok_or(CheckpointError::Damaged)?;
        let (head, numbers) = rest
            .split_at_checked(u32::from_le_bytes(*length) as usize)
            .ok_or(CheckpointError::Damaged)?;
        let head: CheckpointHeader =
            serde_json::from_slice(head).map_err(|_| CheckpointError::Foreign)?;
        if head.version != VERSION {
            return Err(CheckpointError::Foreign);
        }
        if head.recipe != *self.recipe() {
            return Err(CheckpointError::Other("recipe"));
        }
        if head.samples != samples {
            return Err(CheckpointError::Other("set of samples"));
        }
        if head.start != self.start_checksum {
            return Err(CheckpointError::Other("initial network"));
        }
        let (numbers, rest) = numbers.as_chunks::<4>();
        if numbers.len() != 3 * self.parameters.len() * FloatBlock::LEN || !rest.is_empty() {
            return Err(CheckpointError::Damaged);
        }
        let mut numbers = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes));
        let targets = [&mut self.parameters, &mut self.optimizer.mean, &mut self.optimizer.square];
        for target in targets {
            let target = FloatBlock::numbers_mut(target).iter_mut();
            target.zip(&mut numbers).for_each(|(number, stored)| *number = stored);
        }
        self.optimizer.steps = head.steps;
        self.passes = head.reports.len() as u32;
        Ok(head.reports)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checkpoints outlive program versions, so their keys must not change.
    #[test]
    fn a_stored_header_of_version_1_is_read() {
        let stored = concat!(
            r#"{"version":1,"recipe":{"width":128,"input_buckets":1,"output_buckets":8,"#,
            r#""result_share":0.25,"final_result_share":0.5,"scale":370.0,"passes":30,"#,
            r#""batch":16384,"rate":0.5,"final_rate":0.125,"warm_up":200,"decay":0.0625,"#,
            r#""clip":1.984375,"seed":1,"hold_out":50,"largest_score":4000},"steps":9,"#,
            r#""samples":77,"start":5,"reports":[{"pass":1,"training_loss":0.5,"#,
            r#""test_loss":0.25,"rate":0.125}]}"#
        );
        let head: CheckpointHeader = serde_json::from_str(stored).unwrap();
        assert_eq!((head.steps, head.reports.len()), (9, 1));
        assert_eq!((head.recipe.width, head.recipe.largest_score), (128, 4000));
        // Keys that were added later get the constants that earlier versions used.
        assert_eq!(head.recipe.filter().repetition_plies, 12);
        let written = serde_json::to_string(&head).unwrap();
        let later = concat!(
            r#""largest_score":4000,"first_plies":0,"repetition_plies":12,"#,
            r#""largest_swing":32767,"leave_out_checks":true,"leave_out_captures":true}"#
        );
        let expected = stored
            .replace(r#""largest_score":4000}"#, later)
            .replace(r#""scale""#, r#""later_share":0.0,"scale""#)
            .replace(r#""passes""#, r#""loss_power":2.0,"passes""#);
        assert_eq!(written, expected);
    }
}
