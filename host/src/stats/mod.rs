//! Figures from samples: medians, intervals, rows. Pure: no file, no port, no clock.
//!
//! [`evidence`] makes sense of a run's records (which sample counts, what its clock is called), the maths is in
//! [`quantile`], [`interval`] and [`bootstrap`], and [`figures`] puts both together. `docs/method.md` explains each figure.

pub mod bootstrap;
pub mod clock;
pub mod digest;
pub mod draws;
pub mod drift;
pub mod evidence;
pub mod figures;
pub mod interval;
pub mod outliers;
pub mod quantile;
pub mod reading;
pub mod row;
pub mod student;
pub mod throttle;

pub use evidence::Evidence;
pub use figures::rows;
pub use reading::Reading;
pub use row::Row;
