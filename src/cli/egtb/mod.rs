//! `chuhe egtb`: endgame tables.

mod common;
mod generate;
mod probe;
mod stats;
mod verify;

use clap::Subcommand;

use crate::cli::common::Failure;

/// Endgame tables (残局库): generate, verify, count, probe.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: EgtbCommand,
}

#[derive(Debug, Subcommand)]
enum EgtbCommand {
    Generate(generate::Arguments),
    Verify(verify::Arguments),
    Probe(probe::Arguments),
    Stats(stats::Arguments),
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        EgtbCommand::Generate(arguments) => generate::run(arguments),
        EgtbCommand::Verify(arguments) => verify::run(arguments),
        EgtbCommand::Probe(arguments) => probe::run(arguments),
        EgtbCommand::Stats(arguments) => stats::run(arguments),
    }
}
