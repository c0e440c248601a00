//! In which order a run visits its places. Pure.
//!
//! On an emulated board, whose clock has no noise, each place is visited as often as the plan says, one after the other. On
//! hardware the visits form blocks: each holds every place once, in an order drawn anew from the run's seed, so that what
//! changes with time (temperature, frequency, what else runs) meets all places alike, and no place always follows the same other
//! one. The baseline's place is visited twice in each block: its two arms are alike in everything but their turn, and how far
//! they differ is the smallest difference that the run can see. Box, Hunter and Hunter, "Statistics for Experimenters", 2nd ed.
//! 2005, chapter 4, on randomised blocks.
use super::PlannedPlace;
use crate::model::{Environment, Place, Turn};
use crate::stats::bootstrap::Generator;

/// Fewest invocations of a place on hardware.
pub const FEWEST_ON_HARDWARE: u32 = 5;

/// One visit to a place: an invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// Where.
    pub place: PlannedPlace,
    /// How often that place was visited before.
    pub repetition: u32,
    /// Where the visit stands in the blocks; `None` where there are none. The invocation's number is not known yet.
    pub turn: Option<Turn>,
}

/// The place that is visited twice in each block: native, detected, shared where it is there, else the first.
#[must_use]
pub fn baseline(places: &[PlannedPlace]) -> Option<Place> {
    let found = places.iter().find(|p| p.place == Place::BASELINE);
    let native = || {
        let is_native = |p: &&PlannedPlace| p.place.environment == Environment::Native;
        places.iter().find(is_native)
    };
    found
        .or_else(native)
        .or(places.first())
        .map(|planned| planned.place)
}

/// All visits of one machine to `places`, in order: `invocations` to each, and as many again to the baseline's second arm where
/// `in_blocks`.
#[must_use]
pub fn blocks(places: &[PlannedPlace], invocations: u32, in_blocks: bool, seed: u64) -> Vec<Visit> {
    if !in_blocks {
        let of_place = |place: &PlannedPlace| {
            let place = *place;
            (0..invocations).map(move |repetition| Visit {
                place,
                repetition,
                turn: None,
            })
        };
        return places.iter().flat_map(of_place).collect();
    }
    let twice = baseline(places);
    let mut generator = Generator::named(seed, "order of blocks");
    let mut visits = Vec::new();
    for block in 0..invocations {
        let mut order: Vec<PlannedPlace> = places.to_vec();
        order.extend(places.iter().filter(|p| Some(p.place) == twice));
        shuffle(&mut order, &mut generator);
        let mut arms = 0;
        for (position, place) in (0..).zip(order) {
            let is_twice = Some(place.place) == twice;
            let arm = if is_twice { arms } else { 0 };
            arms += u8::from(is_twice);
            let repetition = if is_twice {
                2 * block + u32::from(arm)
            } else {
                block
            };
            visits.push(Visit {
                place,
                repetition,
                turn: Some(Turn {
                    invocation: 0,
                    block,
                    position,
                    arm,
                }),
            });
        }
    }
    visits
}

/// Fisher and Yates: every order is as likely as every other.
fn shuffle<T>(list: &mut [T], generator: &mut Generator) {
    for last in (1..list.len()).rev() {
        list.swap(last, generator.below(last + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Stack;
    use std::collections::{BTreeMap, BTreeSet};
    use wire::message::Dispatch;

    fn places() -> Vec<PlannedPlace> {
        Environment::ALL
            .map(|environment| PlannedPlace {
                place: Place {
                    environment,
                    dispatch: Dispatch::Detected,
                    stack: Stack::Shared,
                },
                at_most: None,
            })
            .to_vec()
    }

    #[test]
    fn each_block_holds_every_place_once_and_the_baseline_twice() {
        let visits = blocks(&places(), 7, true, 3);
        let in_block = places().len() + 1;
        assert_eq!(visits.len(), 7 * in_block);
        for (block, visits) in (0..).zip(visits.chunks(in_block)) {
            let mut times: BTreeMap<Place, Vec<u8>> = BTreeMap::new();
            for (position, visit) in (0..).zip(visits) {
                let turn = visit.turn.expect("in blocks");
                assert_eq!((turn.block, turn.position), (block, position));
                times.entry(visit.place.place).or_default().push(turn.arm);
            }
            assert_eq!(times.len(), places().len());
            for (place, arms) in times {
                let expected: &[u8] = if place == Place::BASELINE {
                    &[0, 1]
                } else {
                    &[0]
                };
                assert_eq!(arms, expected, "{place}");
            }
        }
        // The repetitions of a place count up without a gap, whatever the order.
        for place in places() {
            let of_place: Vec<u32> = visits
                .iter()
                .filter(|v| v.place == place)
                .map(|v| v.repetition)
                .collect();
            let all: Vec<u32> = (0..of_place.len() as u32).collect();
            assert_eq!(of_place, all);
        }
    }

    #[test]
    fn the_order_follows_from_the_seed_and_changes_from_block_to_block() {
        let visits = blocks(&places(), 50, true, 3);
        assert_eq!(visits, blocks(&places(), 50, true, 3));
        assert_ne!(visits, blocks(&places(), 50, true, 4));
        let firsts: BTreeSet<Place> = visits
            .chunks(places().len() + 1)
            .map(|b| b[0].place.place)
            .collect();
        assert_eq!(
            firsts.len(),
            places().len(),
            "every place comes first in some block"
        );
    }

    #[test]
    fn without_blocks_places_come_in_order_and_once_each() {
        let visits = blocks(&places(), 1, false, 3);
        let order: Vec<_> = visits.iter().map(|v| v.place).collect();
        assert_eq!(order, places());
        assert!(visits.iter().all(|v| v.turn.is_none()));
    }

    #[test]
    fn the_baseline_is_native_or_the_first_there_is() {
        let places = places();
        assert_eq!(baseline(&places), Some(Place::BASELINE));
        assert_eq!(baseline(&places[2..]), Some(places[2].place));
        assert_eq!(baseline(&[]), None);
    }
}
