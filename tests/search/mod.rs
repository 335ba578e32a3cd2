//! The search through its public interface.

mod composed_mates;
mod limits;
mod repetitions;
mod requests;
mod techniques;
