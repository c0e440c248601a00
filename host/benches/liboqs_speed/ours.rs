//! The bench's own figures.
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use wire::catalog::{Algorithm, Kind, Provider};

/// What an operation counts here.
#[derive(Clone, Debug)]
pub struct Ours {
    /// The algorithm.
    pub algorithm: &'static Algorithm,
    /// keygen, encaps, ..
    pub operation: String,
    /// Mean of user-mode instructions.
    pub mean: f64,
    /// Iterations.
    pub iterations: f64,
    /// Whether the count depends on what is drawn.
    pub random: bool,
}

impl Ours {
    /// liboqs' name.
    pub fn native_name(&self) -> &'static str {
        let name = self.algorithm.name_at(Provider::Liboqs);
        name.expect("an algorithm of liboqs")
    }

    /// Which of the two programs has it.
    pub fn program(&self) -> &'static str {
        match self.algorithm.kind {
            Kind::Kem => "speed_kem",
            _ => "speed_sig",
        }
    }
}

/// Measures `sets` natively on the emulated board.
pub fn measure(folder: &Path, sets: &[&str]) -> Vec<Ours> {
    let plan = folder.join("speed.toml");
    let mut text = "name = \"speed\"\nalgorithms = [".to_owned();
    for set in sets {
        let _ = write!(text, "{set:?}, ");
    }
    text += "]\ninvocations = 1\nbudget = 300_000_000\nmin_iterations = 3\nmax_iterations = 1000\nrandom_draws = 400\nonce_above = 300_000_000\nwarm_up = 1\nkeys = 4096\ninputs = 4096\n";
    std::fs::write(&plan, text).expect("the plan");
    let archive = folder.join("runs");
    let output = Command::new(env!("CARGO_BIN_EXE_host"))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .arg("--archive")
        .arg(&archive)
        .args([
            "--format",
            "json",
            "flash-and-bench",
            "--env",
            "native",
            "--seed",
            "1",
            "--plan",
        ])
        .arg(&plan)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .expect("the host program");
    assert!(output.status.success(), "the run failed");
    let shown: Value = serde_json::from_slice(&output.stdout).expect("one JSON value");
    let rows = shown["rows"].as_array().expect("rows");
    let rows = rows.iter().map(|row| {
        let text = |field: &str| row[field].as_str().expect(field);
        let number = |field: &str| row[field].as_f64().expect(field);
        Ours {
            algorithm: Algorithm::by_name(text("algorithm")).expect("of the catalogue"),
            operation: text("operation").to_owned(),
            mean: number("mean"),
            iterations: number("iterations"),
            random: !row["random_time"].is_null(),
        }
    });
    rows.collect()
}
