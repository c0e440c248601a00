//! The command line: one file a command. Everything may be used here; nobody uses it.
use crate::exit::{Exit, Failure, told};
use crate::progress::tell;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;

mod algorithms;
mod archive;
mod boards;
mod compare;
mod explain;
mod flash_and_bench;
mod output;
mod setup;
mod table;

/// Measures post-quantum cryptography on Arm boards: bare metal, Linux process, container and unikernel, side by side.
#[derive(Debug, Parser)]
#[command(name = "host", version, max_term_width = 120)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// Options that every command takes.
#[derive(Clone, Debug, Args)]
pub struct Global {
    /// Folder that holds the runs.
    #[arg(long, global = true, value_name = "DIR", default_value = "runs")]
    pub archive: PathBuf,
    /// How results are printed on standard output.
    #[arg(long, global = true, value_enum, default_value_t)]
    pub format: Format,
    /// Colour on a terminal; NO_COLOR is honoured.
    #[arg(long, global = true, value_enum, default_value_t)]
    pub color: Color,
    /// Say more on standard error; twice for everything.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Say nothing on standard error but errors.
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

/// Formats of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table for people.
    #[default]
    Table,
    /// One JSON value, stable.
    Json,
    /// Comma-separated values with a header.
    Csv,
    /// A Markdown table.
    Md,
}

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Debug, Subcommand)]
enum Command {
    Setup(setup::Arguments),
    Boards(boards::Arguments),
    Algorithms(algorithms::Arguments),
    FlashAndBench(Box<flash_and_bench::Arguments>),
    Archive(archive::Arguments),
    Compare(compare::Arguments),
    Explain(explain::Arguments),
}

/// Parses the command line, runs the command, prints what failed, and gives the exit status.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        Command::Setup(arguments) => setup::run(&cli.global, arguments),
        Command::Boards(arguments) => boards::run(&cli.global, arguments),
        Command::Algorithms(arguments) => algorithms::run(&cli.global, arguments),
        Command::FlashAndBench(arguments) => flash_and_bench::run(&cli.global, &arguments),
        Command::Archive(arguments) => archive::run(&cli.global, arguments),
        Command::Compare(arguments) => compare::run(&cli.global, arguments),
        Command::Explain(arguments) => explain::run(&cli.global, arguments),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(Failure { exit, error }) => {
            tell(&format!("error: {}", told(&error)));
            exit.into()
        }
    }
}

/// What every command returns.
pub type Outcome = Result<Exit, Failure>;
