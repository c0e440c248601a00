//! Where a plan measures: places, as its file names them.
use super::Plan;
use crate::model::{Environment, Place, Planned, Stack};
use serde::{Deserialize, Serialize};
use wire::catalog::Provider;
use wire::message::Dispatch;

/// Places beside those that a plan's `dispatches` and `stacks` make of every environment.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MorePlaces {
    /// The environments; those that a run does not have are passed over.
    pub environments: Vec<Environment>,
    /// Code paths in each of them.
    #[serde(default = "super::detected", with = "words")]
    pub dispatches: Vec<Dispatch>,
    /// What lies under the provider in each of them.
    #[serde(default = "super::shared", with = "words")]
    pub stacks: Vec<Stack>,
    /// An operation is left out here if the pilot says that running it once, its key pair and input included, counts more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<u64>,
}

impl MorePlaces {
    /// Whether it names no place at all.
    pub(super) fn is_empty(&self) -> bool {
        self.environments.is_empty() || self.dispatches.is_empty() || self.stacks.is_empty()
    }
}

/// A place of a run, and what is left out there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct PlannedPlace {
    /// The place.
    pub place: Place,
    /// Operations that count more, once and with what they need, are left out; none where there is no number.
    pub at_most: Option<u64>,
}

impl PlannedPlace {
    /// Whether `planned`, one of `plan`, is measured here.
    #[must_use]
    pub fn takes(&self, planned: &Planned, plan: &[Planned]) -> bool {
        let once = Planned {
            iterations: 1,
            keys: 1,
            inputs: 1,
            ..*planned
        };
        self.at_most
            .is_none_or(|most| super::cost_alone(&once, plan) <= most)
    }
}

impl Plan {
    /// The places to measure in, in order; the first one runs the pilot. `dispatches` and `stacks` are what the user named: where
    /// they name any, the plan's further places are none of it.
    #[must_use]
    pub fn places_in(
        &self,
        environments: &[Environment],
        dispatches: &[Dispatch],
        stacks: &[Stack],
    ) -> Vec<PlannedPlace> {
        let by_hand = !dispatches.is_empty() || !stacks.is_empty();
        let dispatches = or(dispatches, &self.dispatches);
        let stacks = or(stacks, &self.stacks);
        let mut places = product(environments, dispatches, stacks, None);
        for more in self.places.iter().filter(|_| !by_hand) {
            let here: Vec<_> = environments
                .iter()
                .filter(|e| more.environments.contains(e))
                .copied()
                .collect();
            for place in product(&here, &more.dispatches, &more.stacks, more.at_most) {
                if !places.iter().any(|known| known.place == place.place) {
                    places.push(place);
                }
            }
        }
        places
    }
}

fn or<'a, T>(named: &'a [T], planned: &'a [T]) -> &'a [T] {
    if named.is_empty() { planned } else { named }
}

fn product(
    environments: &[Environment],
    dispatches: &[Dispatch],
    stacks: &[Stack],
    at_most: Option<u64>,
) -> Vec<PlannedPlace> {
    let mut places = Vec::new();
    for environment in environments {
        for dispatch in dispatches {
            for stack in stacks {
                let place = Place {
                    environment: *environment,
                    dispatch: *dispatch,
                    stack: *stack,
                };
                places.push(PlannedPlace { place, at_most });
            }
        }
    }
    places
}

/// Lists of things that a plan's file and the command line call by the same words.
pub mod words {
    use super::{Dispatch, Environment, Provider, Stack};
    use crate::plan::{nearest, suggest};
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    /// A thing with a word.
    pub trait Word: Copy + PartialEq + 'static {
        /// What it is, for errors.
        const WHAT: &'static str;
        /// All of them.
        const ALL: &'static [Self];
        /// The word.
        fn word(self) -> &'static str;
    }

    macro_rules! word {
        ($kind:ty, $what:literal, $all:expr) => {
            impl Word for $kind {
                const WHAT: &'static str = $what;
                const ALL: &'static [Self] = $all;
                fn word(self) -> &'static str {
                    self.name()
                }
            }
        };
    }
    word!(Environment, "environment", &Environment::ALL);
    word!(Dispatch, "dispatch", &[Self::Detected, Self::Portable]);
    word!(Stack, "stack", &[Self::Shared, Self::Stock]);
    word!(Provider, "provider", &Provider::ALL);

    /// What `words` name, each once; the error names the first word that is unknown, and the nearest valid ones.
    ///
    /// # Errors
    /// A sentence.
    pub fn parse<T: Word>(words: &[String]) -> Result<Vec<T>, String> {
        let mut list: Vec<T> = Vec::new();
        for word in words {
            let Some(found) = T::ALL.iter().find(|one| one.word() == word) else {
                let known: Vec<_> = T::ALL.iter().map(|one| one.word()).collect();
                let near = nearest(word, known.iter().copied());
                return Err(format!(
                    "unknown {} `{word}`{}; there are: {}",
                    T::WHAT,
                    suggest(&near),
                    known.join(", ")
                ));
            };
            if !list.contains(found) {
                list.push(*found);
            }
        }
        Ok(list)
    }

    pub(in crate::plan) fn serialize<T: Word, S: Serializer>(
        list: &[T],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let words: Vec<_> = list.iter().map(|one| one.word()).collect();
        words.serialize(to)
    }

    pub(in crate::plan) fn deserialize<'de, T: Word, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<T>, D::Error> {
        parse(&Vec::<String>::deserialize(from)?).map_err(D::Error::custom)
    }
}
