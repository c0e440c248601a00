//! The few lines of QEMU's machine protocol that are needed: JSON values, one a line, over its standard input and output.
use super::FlashError;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long QEMU may take to answer: it may be reading a large kernel on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// How the machine's run ended, if it has.
pub type Verdict = Arc<Mutex<Option<String>>>;

/// A connection to QEMU.
pub struct Qmp {
    program: String,
    input: ChildStdin,
    replies: Receiver<Value>,
    /// Set once the machine has stopped for good.
    pub verdict: Verdict,
}

impl Qmp {
    /// Talks to QEMU over its pipes. A thread reads until they close.
    pub fn new(program: String, input: ChildStdin, output: ChildStdout) -> Self {
        let (sender, replies) = channel();
        let verdict = Verdict::default();
        let seen = verdict.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let Ok(line) = line else { break };
                // QEMU also tells people about its ptys here; those lines are no JSON.
                let Ok(value) = serde_json::from_str::<Value>(&line) else {
                    continue;
                };
                if let Some(how) = ended(&value) {
                    let mut verdict = seen.lock().unwrap_or_else(PoisonError::into_inner);
                    verdict.get_or_insert(how);
                }
                let is_reply = value.get("return").is_some() || value.get("error").is_some();
                if is_reply && sender.send(value).is_err() {
                    break;
                }
            }
        });
        Self {
            program,
            input,
            replies,
            verdict,
        }
    }

    /// Carries out `command` and gives its result.
    pub fn execute(&mut self, command: &str) -> Result<Value, FlashError> {
        let line = format!("{}\n", json!({ "execute": command }));
        // A pipe that is closed shows in the reply, with a better reason.
        let _ = self.input.write_all(line.as_bytes());
        let reply = match self.replies.recv_timeout(PATIENCE) {
            Ok(reply) => reply,
            Err(RecvTimeoutError::Timeout) => {
                return Err(FlashError::Silent {
                    program: self.program.clone(),
                    command: command.to_owned(),
                    seconds: PATIENCE.as_secs(),
                });
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(FlashError::Ended {
                    reason: String::new(),
                });
            }
        };
        match reply.get("error") {
            None => Ok(reply["return"].clone()),
            Some(error) => Err(FlashError::Refused {
                program: self.program.clone(),
                command: command.to_owned(),
                message: error["desc"].as_str().unwrap_or_default().to_owned(),
            }),
        }
    }

    /// The pty of each character device: (label, path).
    pub fn ptys(&mut self) -> Result<Vec<(String, String)>, FlashError> {
        let devices = self.execute("query-chardev")?;
        let pty = |device: &Value| {
            let path = device["filename"].as_str()?.strip_prefix("pty:")?;
            Some((device["label"].as_str()?.to_owned(), path.to_owned()))
        };
        Ok(devices
            .as_array()
            .map(|all| all.iter().filter_map(pty).collect())
            .unwrap_or_default())
    }
}

/// What an event says about the machine's end.
fn ended(value: &Value) -> Option<String> {
    match value["event"].as_str()? {
        "SHUTDOWN" => {
            let reason = value["data"]["reason"].as_str().unwrap_or("unknown");
            let what = match reason {
                "guest-shutdown" => "the program powered the board off",
                "guest-reset" => "the program reset the board",
                "guest-panic" => "the board's kernel panicked",
                other => other,
            };
            Some(what.to_owned())
        }
        "GUEST_PANICKED" => Some("the board's kernel panicked".to_owned()),
        _ => None,
    }
}
