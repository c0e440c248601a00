//! Plans: what to measure, and how often. Pure, but for reading a plan's file.
//!
//! A plan names algorithms and a budget. [`Plan::resolve`] makes the list of operations, and after a pilot of one iteration
//! each [`Plan::fix`] gives every operation its number of iterations: the same in every environment and invocation, so that
//! iteration `i` does the same work everywhere.
mod error;
pub mod estimate;
mod fix;
mod order;
mod places;
mod repeat;
mod select;

pub use error::PlanError;
pub use error::{nearest, suggest};
pub use fix::{Fixed, RANDOM_BUDGETS, cost, cost_alone, step_down, work};
pub use order::{FEWEST_ON_HARDWARE, Visit, baseline, blocks};
pub use places::{MorePlaces, PlannedPlace, words};
pub use select::{Item, NULL};

use crate::model::Stack;
use serde::{Deserialize, Serialize};
use std::path::Path;
use wire::catalog::Provider;
use wire::message::Dispatch;

/// The plans that come with the program: name and text.
pub const BUILTIN: &[(&str, &str)] = &[
    ("quick", include_str!("../../../plans/quick.toml")),
    ("paper", include_str!("../../../plans/paper.toml")),
    ("full", include_str!("../../../plans/full.toml")),
];

/// A plan, as its file says it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The plan's name.
    pub name: String,
    /// Names or patterns of algorithms.
    pub algorithms: Vec<String>,
    /// The providers that they are taken from; empty for each algorithm's own.
    #[serde(default, with = "places::words", skip_serializing_if = "Vec::is_empty")]
    pub providers: Vec<Provider>,
    /// Code paths, in every environment.
    #[serde(default = "detected", with = "places::words")]
    pub dispatches: Vec<Dispatch>,
    /// What lies under the provider, in every environment.
    #[serde(default = "shared", with = "places::words")]
    pub stacks: Vec<Stack>,
    /// Further places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<MorePlaces>,
    /// Fresh starts in each place; on hardware never fewer than five.
    #[serde(default = "one")]
    pub invocations: u32,
    /// Counts of the main clock that an operation may spend in one invocation, warm-up left out.
    pub budget: u64,
    /// Fewest iterations.
    pub min_iterations: u32,
    /// Most iterations.
    pub max_iterations: u32,
    /// Fewest iterations of an operation whose time depends on what it draws, where they cost at most
    /// [`RANDOM_BUDGETS`] budgets. 0 asks for no more than of others.
    #[serde(default)]
    pub random_draws: u32,
    /// What counts more than this runs once.
    pub once_above: u64,
    /// First iterations of an invocation, which are left out of figures.
    pub warm_up: u32,
    /// Most key pairs of each algorithm.
    pub keys: u32,
    /// Most ciphertexts or signatures that decaps and verify work on.
    pub inputs: u32,
}

fn one() -> u32 {
    1
}

fn detected() -> Vec<Dispatch> {
    vec![Dispatch::Detected]
}

fn shared() -> Vec<Stack> {
    vec![Stack::Shared]
}

impl Plan {
    /// Starts of a program in each place: as the plan says; on hardware five at least, as an interval across them needs.
    #[must_use]
    pub fn starts(&self, emulated: bool) -> u32 {
        match emulated {
            true => self.invocations,
            false => self.invocations.max(FEWEST_ON_HARDWARE),
        }
    }

    /// Finds a plan: by name among those that come with the program, or, where `name` has a `/` or ends in `.toml`, in that
    /// file.
    ///
    /// # Errors
    /// See [`PlanError`].
    pub fn load(name: &str) -> Result<Self, PlanError> {
        if name.contains('/') || name.ends_with(".toml") {
            let text =
                std::fs::read_to_string(Path::new(name)).map_err(|source| PlanError::Read {
                    path: name.to_owned(),
                    source,
                })?;
            return Self::parse(name, &text);
        }
        match BUILTIN.iter().find(|(builtin, _)| *builtin == name) {
            Some((builtin, text)) => Self::parse(&format!("{builtin}.toml"), text),
            None => Err(PlanError::unknown_plan(name)),
        }
    }

    /// Reads and checks the text of a plan; `file` names it in errors.
    ///
    /// # Errors
    /// See [`PlanError`].
    pub fn parse(file: &str, text: &str) -> Result<Self, PlanError> {
        let plan: Self =
            toml::from_str(text).map_err(|error| PlanError::from_toml(file, text, &error))?;
        let problem = if plan.algorithms.is_empty() {
            "names no algorithm"
        } else if plan.dispatches.is_empty() || plan.stacks.is_empty() {
            "has an empty `dispatches` or `stacks`; leave the field out, or name one at least"
        } else if plan.places.iter().any(MorePlaces::is_empty) {
            "has a `[[places]]` without environments, dispatches or stacks"
        } else if plan.random_draws > plan.max_iterations {
            "needs random_draws <= max_iterations"
        } else if plan.invocations == 0 || plan.keys == 0 || plan.inputs == 0 {
            "has an `invocations`, `keys` or `inputs` of 0; each must be 1 at least"
        } else if plan.min_iterations == 0 || plan.min_iterations > plan.max_iterations {
            "needs 1 <= min_iterations <= max_iterations"
        } else if plan.max_iterations.saturating_add(plan.warm_up) > 1 << 16 {
            "asks for more than 65536 iterations, the most that a target runs at once"
        } else if plan.invocations > 1 << 12 {
            "asks for more than 4096 invocations"
        } else if plan.keys > 1 << 12 || plan.inputs > 1 << 12 {
            "asks for a pool of more than 4096, the most that a target holds"
        } else {
            return Ok(plan);
        };
        Err(PlanError::Unsound {
            file: file.to_owned(),
            problem,
        })
    }
}
