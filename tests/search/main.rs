//! The search through its public interface.

mod composed_mates;
mod limits;
mod repetitions;
mod requests;
mod techniques;

#[path = "../search_pool/mod.rs"]
mod search_pool;
