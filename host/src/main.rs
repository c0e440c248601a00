//! Parses, runs, prints the chain of errors, sets the exit status.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    host::cli::main()
}
