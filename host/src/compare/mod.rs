//! Ratios and same-work checks between rows. Pure.
//!
//! [`same_work`] answers whether every environment did the same work; [`groups`] puts rows side by side and [`ratio`] forms
//! the ratios, or says why not: unlike things are not compared. [`floor`] holds a place against itself.

pub mod floor;
pub mod groups;
pub mod ratio;
mod work;

pub use floor::{Arms, Floor, arms, floor};
pub use groups::{By, Compared, Comparison, Refused, compare};
pub use work::{Agreement, Counts, OperationWork, SPREAD, SameWork, same_work};
