//! `host boards`.
use super::output::print;
use super::{Format, Global, Outcome, table};
use crate::exit::{Exit, OrExit};
use boards::{Board, Environment, Reach};

/// Lists the boards: how each is reached, its environments, how far each was tried on real hardware.
#[derive(Debug, clap::Args)]
pub struct Arguments {}

/// Runs the command.
///
/// # Errors
/// With the exit status of what failed.
pub fn run(global: &Global, _arguments: Arguments) -> Outcome {
    let boards: Vec<Board> = boards::names()
        .map(boards::load)
        .collect::<Result<_, _>>()
        .or_exit(Exit::BadCall)?;
    if global.format == Format::Json {
        let list: Vec<serde_json::Value> = boards.iter().map(json).collect();
        let text = serde_json::to_string_pretty(&list).or_exit(Exit::CheckFailed)?;
        return print(&(text + "\n"));
    }
    let rows: Vec<Vec<String>> = boards.iter().map(row).collect();
    let header = ["board", "emulated", "environments", "reached by", "tried"];
    print(&table::text(global.format, &header, &rows))
}

fn environments(board: &Board) -> Vec<&'static str> {
    board
        .environments
        .iter()
        .map(|e| Environment::name(*e))
        .collect()
}

fn reached_by(board: &Board) -> Vec<&'static str> {
    board.reached_by.iter().map(|r| Reach::name(*r)).collect()
}

/// For people: the machine itself has no other name to them.
fn reached_in_words(board: &Board) -> Vec<&'static str> {
    let word = |reach: &Reach| match reach {
        Reach::Local => "this machine",
        other => other.name(),
    };
    board.reached_by.iter().map(word).collect()
}

fn json(board: &Board) -> serde_json::Value {
    serde_json::json!({
        "board": board.name,
        "description": board.description,
        "emulated": board.emulated,
        "environments": environments(board),
        "reached_by": reached_by(board),
        "tried": board.tried,
    })
}

fn row(board: &Board) -> Vec<String> {
    vec![
        board.name.clone(),
        if board.emulated { "yes" } else { "no" }.to_owned(),
        environments(board).join(", "),
        reached_in_words(board).join(", "),
        board.tried.clone(),
    ]
}
