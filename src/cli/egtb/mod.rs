//! `chuhe egtb`: endgame tables.

mod directory;
mod generate;
mod probe;
mod selection;
mod stats;
mod verify;

use clap::Subcommand;

use super::common::Failure;

/// Endgame tables (残局库): generate, verify, count, look up.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
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

/// Does what is asked for.
///
/// # Errors
/// A table cannot be read, written or proven right.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        EgtbCommand::Generate(arguments) => generate::run(arguments),
        EgtbCommand::Verify(arguments) => verify::run(arguments),
        EgtbCommand::Probe(arguments) => probe::run(arguments),
        EgtbCommand::Stats(arguments) => stats::run(arguments),
    }
}
