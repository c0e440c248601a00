//! Runs of an archive.
use super::number;
use super::table::Table;

/// One run in a list.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its id.
    pub run: String,
    /// When it began.
    pub started: String,
    /// The board.
    pub board: String,
    /// The environments, joined.
    pub environments: String,
    /// How it ended.
    pub status: String,
    /// Rows.
    pub rows: usize,
    /// Bytes of its files.
    pub bytes: u64,
}

/// The list.
#[must_use]
pub fn table(lines: &[Line]) -> Table {
    let mut table = Table::new([
        "run",
        "started",
        "board",
        "environments",
        "status",
        ">rows",
        ">size",
    ]);
    for line in lines {
        table.push([
            line.run.clone(),
            line.started.clone(),
            line.board.clone(),
            line.environments.clone(),
            line.status.clone(),
            line.rows.to_string(),
            number::bytes(line.bytes),
        ]);
    }
    table
}
