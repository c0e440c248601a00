//! `host setup` and `host boards`, called as a user calls them. Nothing is installed.
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// A folder of this test alone, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("pq-setup-test-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    /// `host arguments..` with `programs` alone on PATH, and an empty cache.
    fn host(&self, programs: &[&str], arguments: &[&str]) -> Output {
        let path = self.0.join("bin");
        fs::create_dir_all(&path).unwrap();
        for name in programs {
            let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
                .map(|folder| folder.join(name))
                .find(|program| program.is_file());
            if let Some(program) = found {
                std::os::unix::fs::symlink(program, path.join(name)).unwrap();
            }
        }
        Command::new(env!("CARGO_BIN_EXE_host"))
            .args(arguments)
            .env("PATH", &path)
            .env("PQ_BENCH_CACHE", self.0.join("cache"))
            .env_remove("RUSTC")
            .output()
            .unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn check_names_what_is_missing_and_the_command_that_installs_it() {
    let scratch = Scratch::new("missing");
    let all = [
        "aarch64-linux-gnu-gcc",
        "qemu-system-aarch64",
        "make",
        "rustc",
        "cargo",
    ];
    let output = scratch.host(&all, &["setup", "--check"]);
    assert_eq!(output.status.code(), Some(3));
    let said = text(&output.stdout);
    assert!(said.contains("MISSING: apt-get install cmake"), "{said}");
    let cache = scratch.0.join("cache");
    assert!(said.contains(&cache.display().to_string()), "{said}");
    assert!(!cache.exists(), "a check changed something");
}

#[test]
fn the_report_is_one_json_value() {
    let scratch = Scratch::new("json");
    let output = scratch.host(&[], &["setup", "--check", "--format", "json"]);
    assert_eq!(output.status.code(), Some(3));
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let needs = value["needs"].as_array().unwrap();
    assert!(needs.iter().any(|need| {
        need["name"] == "qemu-system-aarch64"
            && need["found"].is_null()
            && need["install"] == "apt-get install qemu-system-arm"
    }));
    assert_eq!(value["cache"]["bytes"], 0);
}

/// Standard input of a test is no terminal, so nobody agrees, and nothing is changed; without root it does not come to a question.
#[test]
fn nothing_is_installed_unasked() {
    let scratch = Scratch::new("unasked");
    let output = scratch.host(&[], &["setup"]);
    assert_eq!(output.status.code(), Some(3));
    let said = text(&output.stderr);
    assert!(
        ["--yes", "sudo sh -c", "install these yourself"]
            .iter()
            .any(|way| said.contains(way)),
        "{said}"
    );
    assert!(!scratch.0.join("cache").exists());
}

#[test]
fn bad_boards_are_named_with_exit_2() {
    let scratch = Scratch::new("boards");
    let output = scratch.host(&[], &["setup", "--check", "--board", "qemu-vrit"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("did you mean `qemu-virt`?"));

    let file = scratch.0.join("my.toml");
    fs::write(&file, "board = \"my\"\nemulatde = true\n").unwrap();
    let name = file.display().to_string();
    let output = scratch.host(&[], &["setup", "--check", "--board", &name]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(
        said.contains("my.toml:2: the top level has no field `emulatde`; did you mean `emulated`?"),
        "{said}"
    );
}

#[test]
fn boards_are_listed_in_every_format() {
    let scratch = Scratch::new("list");
    let list = |format: &str| {
        let output = scratch.host(&[], &["boards", "--format", format]);
        assert_eq!(output.status.code(), Some(0));
        text(&output.stdout)
    };
    let json: serde_json::Value = serde_json::from_str(&list("json")).unwrap();
    let boards = json.as_array().unwrap();
    let board = |name| boards.iter().find(|board| board["board"] == name).unwrap();
    let pi = board("qemu-raspi3b");
    assert_eq!(pi["environments"], serde_json::json!(["bare-metal"]));
    let board = board("qemu-virt");
    assert_eq!(board["emulated"], true);
    assert_eq!(board["reached_by"][0], "qemu");
    assert_eq!(
        board["environments"],
        serde_json::json!(["bare-metal", "native", "container", "unikernel", "unikraft"])
    );
    assert!(board["tried"].is_string());
    assert!(list("table").contains("qemu-virt"));
    let csv = list("csv");
    assert!(csv.starts_with("board,emulated,environments,reached by,tried\n"));
    assert!(csv.contains("\nqemu-virt,yes,"));
    assert!(list("md").contains("|-"));
}
