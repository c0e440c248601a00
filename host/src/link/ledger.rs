//! Which of a command's answers have arrived. Pure.
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use wire::message::Answer;

/// The answers to one command, by their sequence numbers.
#[derive(Debug)]
pub struct Ledger {
    start: u32,
    answers: BTreeMap<u32, Answer>,
    end: Option<u32>,
}

impl Ledger {
    /// Waits for answers from sequence number `start` on.
    pub fn new(start: u32) -> Self {
        Self {
            start,
            answers: BTreeMap::new(),
            end: None,
        }
    }

    /// Takes an answer and gives it back where it is new: neither had before, nor of an earlier command.
    pub fn accept(&mut self, sequence: u32, answer: Answer) -> Option<&Answer> {
        match self.answers.entry(sequence) {
            Entry::Vacant(entry) if sequence >= self.start => Some(entry.insert(answer)),
            _ => None,
        }
    }

    /// The last answer is the one with this sequence number.
    pub fn close(&mut self, sequence: u32) {
        self.end = Some(sequence);
    }

    /// Whether the last answer is known.
    pub fn is_closed(&self) -> bool {
        self.end.is_some()
    }

    /// The first sequence number that has not arrived; `None` where all have, up to the last one.
    pub fn missing(&self) -> Option<u32> {
        let first = (self.start..)
            .zip(self.answers.keys())
            .find(|(expected, arrived)| expected != *arrived)
            .map_or(
                self.start.wrapping_add(self.answers.len() as u32),
                |(expected, _)| expected,
            );
        match self.end {
            Some(end) if first > end => None,
            _ => Some(first),
        }
    }

    /// One past the highest sequence number seen: where the next command's answers begin.
    pub fn next(&self) -> u32 {
        self.answers
            .last_key_value()
            .map_or(self.start, |(last, _)| last.wrapping_add(1))
    }

    /// The answers in the order in which the target sent them.
    pub fn into_answers(self) -> Vec<Answer> {
        let end = self.end.unwrap_or(u32::MAX);
        self.answers
            .into_iter()
            .filter(|(sequence, _)| *sequence <= end)
            .map(|(_, answer)| answer)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn log(n: u32) -> Answer {
        Answer::Log(n.to_string())
    }

    #[test]
    fn a_gap_is_the_first_missing() {
        let mut ledger = Ledger::new(5);
        assert_eq!(ledger.missing(), Some(5));
        assert!(ledger.accept(5, log(5)).is_some());
        assert!(ledger.accept(8, log(8)).is_some());
        assert_eq!(ledger.missing(), Some(6));
        ledger.close(8);
        assert_eq!(ledger.accept(5, log(5)), None, "a duplicate");
        assert_eq!(ledger.accept(4, log(4)), None, "of an earlier command");
        assert!(ledger.accept(6, log(6)).is_some());
        assert_eq!(ledger.missing(), Some(7));
        assert!(ledger.accept(7, log(7)).is_some());
        assert_eq!((ledger.missing(), ledger.next()), (None, 9));
        assert_eq!(ledger.into_answers(), [log(5), log(6), log(7), log(8)]);
    }

    proptest! {
        /// In whatever order and however often frames arrive: asking for what is missing completes the ledger.
        #[test]
        fn asking_completes_it(start in 0u32..1000, length in 1u32..50, arrived in proptest::collection::vec(0u32..50, 0..80)) {
            let mut ledger = Ledger::new(start);
            for n in arrived.iter().map(|n| start + n % length) {
                ledger.accept(n, log(n));
            }
            ledger.close(start + length - 1);
            let mut asked = 0;
            while let Some(n) = ledger.missing() {
                prop_assert!(ledger.accept(n, log(n)).is_some(), "asked for {n}, which had arrived");
                asked += 1;
            }
            prop_assert!(asked <= length);
            prop_assert_eq!(ledger.into_answers(), (start..start + length).map(log).collect::<Vec<_>>());
        }
    }
}
