//! One command and its answers: when to wait, to send again, to ask for a frame, to give up. Pure: time is told to it.
use super::Limits;
use super::ledger::Ledger;
use std::time::{Duration, Instant};
use wire::message::{Answer, Refusal};

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Listen until then.
    Wait(Instant),
    /// Send the command again, with the number that it has.
    Send,
    /// Ask for the answer with this sequence number, and say so by [`Exchange::asked`].
    Ask(u32),
    /// All answers have arrived.
    Complete,
    /// Some answers cannot be had any more.
    Gone,
    /// The target declines.
    Refused(Refusal),
    /// The target has not answered, however often the command was sent.
    Silent,
}

/// A Resend under way.
#[derive(Clone, Copy, Debug)]
struct Asked {
    request: u32,
    frame: u32,
    until: Instant,
}

/// The state of one exchange.
#[derive(Debug)]
pub struct Exchange {
    number: u32,
    limits: Limits,
    patience: Duration,
    ledger: Ledger,
    deadline: Instant,
    sent: u32,
    /// Whether the target has begun to answer: then it has the command, and sending it again only fetches what was lost.
    begun: bool,
    send_again: bool,
    asks: u32,
    asked: Option<Asked>,
    /// When silence means that the last answer may be among the broken ones.
    suspect: Option<Instant>,
    refused: Option<Refusal>,
    gone: bool,
}

impl Exchange {
    /// Command `number` was sent `now`; its answers have sequence numbers from `first_answer` on.
    pub fn new(
        number: u32,
        first_answer: u32,
        patience: Duration,
        limits: Limits,
        now: Instant,
    ) -> Self {
        Self {
            number,
            limits,
            patience,
            ledger: Ledger::new(first_answer),
            deadline: now + patience,
            sent: 1,
            begun: false,
            send_again: false,
            asks: 0,
            asked: None,
            suspect: None,
            refused: None,
            gone: false,
        }
    }

    /// What to do at the time `now`.
    pub fn step(&mut self, now: Instant) -> Step {
        let Some(missing) = self.ledger.missing() else {
            return Step::Complete;
        };
        if let Some(reason) = self.refused {
            return Step::Refused(reason);
        }
        if self.gone {
            return Step::Gone;
        }
        let asking = self.asked.filter(|a| a.frame == missing && now < a.until);
        if self.ledger.is_closed() {
            return match asking {
                Some(asked) => Step::Wait(asked.until),
                None => self.ask(missing),
            };
        }
        if self.send_again || now >= self.deadline {
            return self.send(now);
        }
        if asking.is_none() && self.suspect.is_some_and(|at| now >= at) {
            return self.ask(missing);
        }
        let suspect = self.suspect.filter(|_| asking.is_none());
        Step::Wait(suspect.map_or(self.deadline, |at| at.min(self.deadline)))
    }

    fn send(&mut self, now: Instant) -> Step {
        if self.sent >= self.limits.sends {
            return Step::Silent;
        }
        self.sent += 1;
        self.send_again = false;
        self.asked = None;
        self.suspect = None;
        self.deadline = now
            + match self.begun {
                true => self.limits.ask,
                false => self.patience,
            };
        Step::Send
    }

    fn ask(&mut self, missing: u32) -> Step {
        self.suspect = None;
        if self.asks >= self.limits.asks {
            return Step::Gone;
        }
        self.asks += 1;
        Step::Ask(missing)
    }

    /// The missing answer was asked for by command `request`.
    pub fn asked(&mut self, request: u32, now: Instant) {
        self.asked = self.ledger.missing().map(|frame| Asked {
            request,
            frame,
            until: now + self.limits.ask,
        });
    }

    /// Something arrived that is no frame. If silence follows, it may have been the last answer.
    pub fn broken(&mut self, now: Instant) {
        self.suspect = Some(now + self.limits.quiet);
    }

    /// An answer arrived. True where it is new and part of this exchange.
    pub fn hear(&mut self, sequence: u32, answer: &Answer, now: Instant) -> bool {
        if self.ledger.accept(sequence, answer.clone()).is_none() {
            return false;
        }
        self.begun = true;
        let wanted = self.asked.is_some_and(|a| a.frame == sequence);
        if wanted {
            self.asked = None;
        }
        // The target answers requests when it has nothing else to do: what is still missing may have been sent, too.
        self.suspect = wanted.then_some(now + self.limits.quiet);
        self.deadline = self.deadline.max(now + self.patience);
        match answer {
            Answer::Done { command } if *command == self.number => self.ledger.close(sequence),
            Answer::Refused { command, reason } => self.declined(*command, *reason, now),
            _ => {}
        }
        true
    }

    fn declined(&mut self, command: u32, reason: Refusal, now: Instant) {
        let of_request = self.asked.is_some_and(|a| a.request == command);
        match reason {
            // It cannot say the number of what it could not read: the last thing sent.
            Refusal::BrokenFrame if self.asked.take().is_some() => self.suspect = Some(now),
            Refusal::BrokenFrame => self.send_again = true,
            Refusal::Gone if of_request => {
                self.asked = None;
                match self.ledger.is_closed() {
                    true => self.gone = true,
                    // Either the command never arrived, or the rest of its answers is held: both become clear.
                    false => self.send_again = true,
                }
            }
            reason if command == self.number => self.refused = Some(reason),
            _ => {}
        }
    }

    /// How often the command was sent.
    pub fn sent(&self) -> u32 {
        self.sent
    }

    /// How often an answer was asked for.
    pub fn asks(&self) -> u32 {
        self.asks
    }

    /// Whether the target has begun to answer.
    pub fn begun(&self) -> bool {
        self.begun
    }

    /// Sequence number with which the next command's answers begin.
    pub fn next_answer(&self) -> u32 {
        self.ledger.next()
    }

    /// The answers, in the order in which the target sent them.
    pub fn into_answers(self) -> Vec<Answer> {
        self.ledger.into_answers()
    }
}
