//! Results as tables, CSV and Markdown. Each result has one function that makes a [`Table`] of it; JSON is its own type's.

pub mod algorithms;
pub mod compared;
mod conditions;
pub mod explained;
pub mod number;
pub mod rows;
pub mod runs;
pub mod shown;
mod summary;
pub mod table;

pub use conditions::conditions;
pub use summary::summary;
pub use table::Table;
