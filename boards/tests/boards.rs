//! Every board file of the folder is loaded and checked; bad ones are refused with a message that helps.
use boards::{Board, BoardError, Problem};
use std::path::Path;

fn qemu_virt() -> &'static str {
    boards::BUILTIN
        .iter()
        .find(|(name, _)| *name == "qemu-virt")
        .map(|(_, text)| *text)
        .expect("qemu-virt comes with the program")
}

/// `qemu-virt` with each `from` replaced by its `to`.
fn changed(changes: &[(&str, &str)]) -> Result<Board, BoardError> {
    let mut text = qemu_virt().to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "the file has no {from:?}");
        text = text.replace(from, to);
    }
    Board::parse("my.toml", &text)
}

fn message(changes: &[(&str, &str)]) -> String {
    changed(changes)
        .expect_err("a bad board file was taken")
        .to_string()
}

fn problem(changes: &[(&str, &str)]) -> Problem {
    match changed(changes) {
        Err(BoardError::Check { problem, .. }) => problem,
        other => panic!("expected a failed check, got {other:?}"),
    }
}

#[test]
fn every_file_in_the_folder_loads() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = 0;
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let stem = path
            .file_stem()
            .and_then(|s| s.to_str())
            .unwrap_or_default();
        if path.extension().is_none_or(|e| e != "toml") || stem == "Cargo" {
            continue;
        }
        files += 1;
        let from_file = boards::load(&path.display().to_string()).expect("a valid file");
        let built_in = boards::load(stem).expect("a built-in board");
        assert_eq!(built_in.name, stem, "a board is called as its file");
        assert_eq!(from_file.reference(), path.display().to_string());
        assert_eq!(built_in.reference(), stem);
        assert_eq!(
            Board {
                source: None,
                ..from_file
            },
            built_in
        );
    }
    assert_eq!(files, boards::names().count());
    assert!(files > 0);
}

#[test]
fn a_name_that_is_no_part_of_a_folders_name_is_refused() {
    for name in ["../../x", "a b", "a/b", "a.partial"] {
        let line = format!("board = \"{name}\"");
        let problem = problem(&[("board = \"qemu-virt\"", &line)]);
        assert_eq!(problem, Problem::Name(name.to_owned()));
    }
    let twice = message(&[("\"bare-metal\", \"native\",", "\"native\", \"native\",")]);
    assert!(twice.contains("`native` twice"), "{twice}");
}

#[test]
fn a_misspelt_board_gets_the_nearest_name() {
    let error = boards::load("qemu-vrit").expect_err("there is no such board");
    assert!(
        error.to_string().contains("did you mean `qemu-virt`?"),
        "{error}"
    );
    let far = boards::load("zzz").expect_err("there is no such board");
    assert!(!far.to_string().contains("did you mean"), "{far}");
    assert!(far.to_string().contains("qemu-virt"), "{far}");
}

#[test]
fn an_unreadable_file_is_named() {
    let error = boards::load("./no/such.toml").expect_err("there is no such file");
    assert!(error.to_string().contains("./no/such.toml"), "{error}");
}

#[test]
fn unknown_fields_are_named_with_line_table_and_nearest() {
    let text = message(&[("conduit = \"smc\"", "condiut = \"smc\"")]);
    assert!(text.starts_with("my.toml:"), "{text}");
    assert!(
        text.contains("[power] has no field `condiut`; did you mean `conduit`?"),
        "{text}"
    );
    let text = message(&[("emulated = true", "emulate = true")]);
    assert!(
        text.starts_with(
            "my.toml:3: the top level has no field `emulate`; did you mean `emulated`?"
        ),
        "{text}"
    );
    let text = message(&[("[virtio_mmio]", "[virtio-mmio]")]);
    assert!(
        text.contains("the top level has no field `virtio-mmio`; did you mean `virtio_mmio`?"),
        "{text}"
    );
}

#[test]
fn unknown_values_are_named_with_the_nearest() {
    let text = message(&[("\"unikernel\",", "\"unikernal\",")]);
    assert!(
        text.contains("no value `unikernal`; did you mean `unikernel`?"),
        "{text}"
    );
}

#[test]
fn a_wrong_type_and_a_missing_field_name_line_and_table() {
    let text = message(&[("slots = 32", "slots = \"many\"")]);
    assert!(
        text.contains("[virtio_mmio]") && text.contains("string"),
        "{text}"
    );
    let text = message(&[("load_address = 0x4008_0000\n", "")]);
    assert!(text.contains("missing field `load_address`"), "{text}");
    let text = message(&[("[cpu]", "[cpu")]);
    assert!(text.starts_with("my.toml:8:"), "{text}");
}

#[test]
fn contradictions_are_refused() {
    let memory = ("base = 0x4000_0000\nsize", "base = 0x3fff_f000\nsize");
    assert!(matches!(problem(&[memory]), Problem::Overlap(..)));
    let low = ("load_address = 0x4008_0000", "load_address = 0x3008_0000");
    assert_eq!(problem(&[low]), Problem::LoadAddress(0x3008_0000));
    let odd = ("load_address = 0x4008_0000", "load_address = 0x4008_0001");
    assert!(matches!(problem(&[odd]), Problem::Unaligned { .. }));
    let core = (
        "model = \"cortex-a72\"",
        "model = \"cortex-a72\"\nspin_table = [0xe0]",
    );
    assert_eq!(problem(&[core]), Problem::SpinTable(0xe0));
    let no_core = (
        "linux_memory_mib = 1024",
        "linux_memory_mib = 1024\ncpus = 0",
    );
    assert!(matches!(problem(&[no_core]), Problem::Zero { .. }));
    let uart = ("base = 0x0900_0000", "base = 0x9900_0000");
    assert!(matches!(problem(&[uart]), Problem::Unmapped { .. }));
    let slots = ("slots = 32", "slots = 0xffff_ffff");
    assert!(matches!(problem(&[slots]), Problem::Unmapped { .. }));
    let small = ("\nmemory_mib = 128", "\nmemory_mib = 64");
    assert!(matches!(
        problem(&[small]),
        Problem::TooSmall { mib: 64, .. }
    ));
    let ticks = ("cntfrq_hz = 62_500_000", "cntfrq_hz = 0");
    assert!(matches!(problem(&[ticks]), Problem::Zero { .. }));
    let nowhere = ("environments = [", "environments = []\n# [");
    assert!(matches!(problem(&[nowhere]), Problem::Empty { .. }));
    let no_linux = ("linux_memory_mib = 1024\n", "");
    assert!(matches!(problem(&[no_linux]), Problem::Needs { .. }));
    let end = (
        "base = 0x4000_0000\nsize = 0x0800_0000",
        "base = 0x4000_0000\nsize = 0x7fff_ffff_ffff_f000",
    );
    assert!(
        matches!(problem(&[end]), Problem::TooSmall { .. }),
        "saturates instead of wrapping"
    );
}
