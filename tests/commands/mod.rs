//! The commands of the program, run as from a shell.

mod analyse;
mod batch;
#[cfg(feature = "cloud")]
mod board;
mod book;
mod cli;
mod convert;
mod egtb;
mod judge;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(unix)]
mod long_runs;
#[cfg(target_os = "linux")]
mod narrow_terminal;
mod outputs;
mod play;
mod records;
mod replay;
mod review;
mod solve;
mod train;
mod training;
