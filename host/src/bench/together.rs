//! Several machines driven as one, where their visits must take turns: on hardware the environments are interleaved in blocks, and two
//! programs measured at the same time would disturb each other.
use super::Crew;
use super::machine::{Machine, MachineError};
use crate::link::{Port, Watch};
use crate::model::{Environment, Place};

/// Makes one crew of `crews`: its machine has all their environments, and starts one program at a time.
pub fn together(mut crews: Vec<Crew<'_>>) -> Vec<Crew<'_>> {
    if crews.len() < 2 {
        return crews;
    }
    let all = crews.iter().flat_map(|crew| crew.environments.clone());
    let environments = all.collect();
    let machine = move || {
        let made = |crew: Crew<'_>| Member {
            environments: crew.environments,
            // What cannot be made is an error of its environments alone.
            machine: (crew.machine)().map_err(Some),
        };
        let members = crews.drain(..).map(made).collect();
        let together = Together {
            members,
            current: None,
        };
        Ok(Box::new(together) as Box<dyn Machine>)
    };
    vec![Crew {
        environments,
        machine: Box::new(machine),
    }]
}

struct Member {
    environments: Vec<Environment>,
    machine: Result<Box<dyn Machine>, Option<MachineError>>,
}

struct Together {
    members: Vec<Member>,
    /// The member whose program was started last.
    current: Option<usize>,
}

impl Together {
    fn current(&mut self) -> Option<&mut Box<dyn Machine>> {
        let member = self.members.get_mut(self.current?)?;
        member.machine.as_mut().ok()
    }
}

impl Machine for Together {
    fn start(&mut self, place: Place, invocation: u32) -> Result<(), MachineError> {
        let has = |m: &Member| m.environments.contains(&place.environment);
        self.current = self.members.iter().position(has);
        let member = self.current.and_then(|at| self.members.get_mut(at));
        match member.map(|m| &mut m.machine) {
            Some(Ok(machine)) => machine.start(place, invocation),
            Some(Err(error)) => Err(error.take().unwrap_or(MachineError::NotStarted)),
            None => Err(MachineError::NotStarted),
        }
    }

    fn link(&mut self) -> Option<(&mut dyn Port, &mut dyn Watch)> {
        self.current()?.link()
    }

    fn board_ended(&mut self) -> Option<String> {
        self.current()?.board_ended()
    }

    fn end(&mut self, told: bool) -> Result<(), MachineError> {
        self.current().map_or(Ok(()), |machine| machine.end(told))
    }

    fn take_facts(&mut self) -> Vec<(String, String)> {
        let made = self
            .members
            .iter_mut()
            .filter_map(|m| m.machine.as_mut().ok());
        made.flat_map(|machine| machine.take_facts()).collect()
    }
}
