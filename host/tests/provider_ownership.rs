//! Each provider runs its own code: whatever name a provider's library defines, the program's code of that name comes from that
//! library. Where two libraries define a name, a linker silently keeps one of them, and two columns would measure the same code.
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSymbol, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the names of providers' archives begin with; `pqcrypto_internals` holds the hash functions of PQClean.
const PROVIDERS: [&str; 2] = ["liboqs_sys-", "libpqcrypto_"];

/// Names that the programs define in a provider's place, on purpose: where its random bytes come from.
const OURS: [&str; 1] = ["PQCRYPTO_RUST_randombytes"];

/// Sections that hold code and data, rather than notes about them.
const CONTENT: [&str; 5] = [".text", ".rodata", ".data", ".bss", "COMMON"];

/// A piece of the program, as the linker's map tells it.
#[derive(Debug)]
struct Piece<'a> {
    start: u64,
    end: u64,
    archive: &'a Path,
}

/// The pieces that come from archives, by address.
fn pieces(map: &str) -> Vec<Piece<'_>> {
    let begin = map.find("\nLinker script and memory map");
    let mut pieces = Vec::new();
    let mut section = "";
    for line in map[begin.expect("a memory map")..].lines() {
        // A long name of a section stands on a line of its own.
        let mut rest = line.trim_start();
        if line.starts_with(' ') && !line.starts_with("  ") {
            let (name, after) = rest.split_once(' ').unwrap_or((rest, ""));
            (section, rest) = (name, after.trim_start());
        }
        if CONTENT.iter().any(|content| section.starts_with(content))
            && let Some(piece) = piece(rest)
        {
            pieces.push(piece);
        }
    }
    pieces.sort_by_key(|piece| piece.start);
    pieces
}

/// Address, size, and the archive with its member in brackets.
fn piece(line: &str) -> Option<Piece<'_>> {
    let (start, rest) = line.strip_prefix("0x")?.split_once(' ')?;
    let (size, rest) = rest.trim_start().strip_prefix("0x")?.split_once(' ')?;
    let (archive, _) = rest.trim_start().strip_suffix(')')?.rsplit_once('(')?;
    let start = u64::from_str_radix(start, 16).ok()?;
    let end = start + u64::from_str_radix(size, 16).ok()?;
    (start < end).then_some(Piece {
        start,
        end,
        archive: Path::new(archive),
    })
}

fn owner<'a>(pieces: &[Piece<'a>], address: u64) -> Option<&'a Path> {
    let after = pieces.partition_point(|piece| piece.start <= address);
    let piece = &pieces[after.checked_sub(1)?];
    (address < piece.end).then_some(piece.archive)
}

/// Names that an archive's members define for others.
fn definitions(archive: &Path) -> BTreeSet<String> {
    let bytes = fs::read(archive).unwrap_or_else(|e| panic!("{}: {e}", archive.display()));
    let mut names = BTreeSet::new();
    let members = ArchiveFile::parse(bytes.as_slice()).expect("an archive");
    for member in members.members() {
        let data = member.expect("a member").data(bytes.as_slice());
        let Ok(file) = object::File::parse(data.expect("its bytes")) else {
            continue;
        };
        let symbols = file.symbols();
        names.extend(
            symbols
                .filter(|s| s.is_definition() && s.is_global())
                .filter(|s| matches!(s.kind(), SymbolKind::Text | SymbolKind::Data))
                .map(|s| s.name().expect("a name").to_owned()),
        );
    }
    names
}

/// Addresses of each name in a program. What is hidden in an object is local in the program, where static functions may share its name.
fn addresses(program: &[u8]) -> BTreeMap<String, Vec<u64>> {
    let file = object::File::parse(program).expect("an ELF file");
    let mut global: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let mut local = global.clone();
    for symbol in file.symbols().filter(ObjectSymbol::is_definition) {
        let table = match symbol.is_global() {
            true => &mut global,
            false => &mut local,
        };
        let name = symbol.name().expect("a name").to_owned();
        table.entry(name).or_default().push(symbol.address());
    }
    local.extend(global);
    local
}

/// What a look at one program found.
#[derive(Debug, Default)]
struct Ownership {
    /// Names that lie where they belong, by archive.
    own: BTreeMap<String, usize>,
    /// Names that an archive defines, and whose code in the program comes from elsewhere.
    strays: Vec<String>,
}

impl Ownership {
    /// Looks at all archives whose file names begin with one of `prefixes`.
    fn of(program: &Path, map: &Path, prefixes: &[&str]) -> Self {
        let map = fs::read_to_string(map).unwrap_or_else(|e| panic!("{}: {e}", map.display()));
        let program = fs::read(program).unwrap_or_else(|e| panic!("{}: {e}", program.display()));
        let (pieces, addresses) = (pieces(&map), addresses(&program));
        let provides = |archive: &Path| {
            let name = file_name(archive);
            prefixes.iter().any(|prefix| name.starts_with(prefix))
        };
        let archives: BTreeSet<_> = pieces.iter().map(|piece| piece.archive).collect();
        let mut found = Self::default();
        for archive in archives.into_iter().filter(|archive| provides(archive)) {
            for name in definitions(archive) {
                if OURS.contains(&name.as_str()) {
                    continue;
                }
                // What nobody calls is not in the program.
                let Some(places) = addresses.get(&name) else {
                    continue;
                };
                let owners: BTreeSet<_> = places.iter().map(|at| owner(&pieces, *at)).collect();
                match owners.contains(&Some(archive)) {
                    true => *found.own.entry(file_name(archive)).or_default() += 1,
                    false => {
                        let archive = archive.display();
                        found
                            .strays
                            .push(format!("{name} of {archive} is that of {owners:?}"));
                    }
                }
            }
        }
        found
    }

    fn names_of(&self, prefix: &str) -> usize {
        let own = self
            .own
            .iter()
            .filter(|(archive, _)| archive.starts_with(prefix));
        own.map(|(_, names)| names).sum()
    }
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn firmware() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"),
        PathBuf::from,
    );
    target.join("aarch64-unknown-linux-gnu/firmware")
}

/// The map that was written when `program` was linked: builds for other boards and of other kinds leave theirs, too. Cargo puts
/// what the linker wrote to its place as it is.
fn map(program: &Path) -> PathBuf {
    let build = firmware().join("build");
    let folders = fs::read_dir(&build)
        .unwrap_or_else(|e| panic!("{}: {e}; build the target programs first", build.display()));
    let bytes = fs::read(program).unwrap_or_else(|e| panic!("{}: {e}", program.display()));
    let name = program.file_name().expect("a name");
    let belongs = |map: &Path| {
        let map = fs::read_to_string(map).unwrap_or_default();
        let output = map
            .lines()
            .rev()
            .find_map(|line| line.strip_prefix("OUTPUT("));
        let output = output.and_then(|line| line.rsplit_once(' '));
        output.is_some_and(|(file, _)| fs::read(file).is_ok_and(|linked| linked == bytes))
    };
    let maps = folders
        .flatten()
        .map(|entry| entry.path().join("out").join(name));
    maps.map(|path| path.with_extension("map"))
        .find(|path| belongs(path))
        .expect("the map of a built program")
}

#[test]
#[ignore = "slow: needs the target programs, which `cargo run -p host -- flash-and-bench` builds"]
fn each_provider_runs_its_own_code() {
    for program in ["linux", "bare", "stock"] {
        let file = firmware().join(program);
        let found = Ownership::of(&file, &map(&file), &PROVIDERS);
        let names: Vec<_> = [
            "liboqs_sys-",
            "libpqcrypto_kyber-",
            "libpqcrypto_mlkem-",
            "libpqcrypto_falcon-",
        ]
        .map(|prefix| (prefix, found.names_of(prefix)))
        .to_vec();
        println!("{program}: names where they belong: {names:?}");
        assert_eq!(found.strays, Vec::<String>::new(), "{program}");
        // Falcon alone has dozens of functions; a map that was read wrongly has none.
        let least = |prefix: &str| if prefix == "liboqs_sys-" { 1000 } else { 50 };
        for (prefix, names) in names {
            assert!(
                names >= least(prefix),
                "{program}: {names} names of {prefix}"
            );
        }
    }
}

/// Links two little libraries, each with a `helper` in a member of its own, and looks at who owns what.
fn linked(folder: &Path, helpers: [&str; 2]) -> Ownership {
    let run = |program: &str, arguments: &[&str]| {
        let status = Command::new(program)
            .current_dir(folder)
            .args(arguments)
            .status();
        assert!(status.expect(program).success(), "{program} {arguments:?}");
    };
    let gcc = host::tools::cross::GCC;
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a source");
    write(
        "main.c",
        "int one(void), two(void); void _start(void) { one(); two(); }",
    );
    run(gcc, &["-c", "main.c"]);
    for (library, helper) in ["one", "two"].into_iter().zip(helpers) {
        let (own, other) = (format!("{library}.c"), format!("{library}_helper.c"));
        write(
            &own,
            &format!("int {helper}(void); int {library}(void) {{ return {helper}(); }}"),
        );
        write(
            &other,
            &format!("int {helper}(void) {{ return sizeof \"{library}\"; }}"),
        );
        run(gcc, &["-c", &own, &other]);
        let objects = [format!("{library}.o"), format!("{library}_helper.o")];
        run(
            "aarch64-linux-gnu-ar",
            &["rcs", &format!("{library}.a"), &objects[0], &objects[1]],
        );
    }
    run(
        gcc,
        &[
            "-nostdlib",
            "-static",
            "-Wl,-Map=program.map",
            "-o",
            "program",
            "main.o",
            "one.a",
            "two.a",
        ],
    );
    // The linker writes archives as it was given them.
    let map = folder.join("program.map");
    let text = fs::read_to_string(&map).expect("a map");
    let prefix = format!("{}/", folder.display());
    let text = ["one.a(", "two.a("].iter().fold(text, |text, name| {
        text.replace(name, &format!("{prefix}{name}"))
    });
    fs::write(&map, text).expect("a map");
    Ownership::of(&folder.join("program"), &map, &["one.a", "two.a"])
}

#[test]
#[ignore = "slow: needs the cross compiler"]
fn a_name_that_two_libraries_define_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let apart = linked(folder.path(), ["helper_of_one", "helper_of_two"]);
    assert_eq!(apart.strays, Vec::<String>::new());
    assert_eq!((apart.names_of("one.a"), apart.names_of("two.a")), (2, 2));

    let clash = linked(folder.path(), ["helper", "helper"]);
    assert_eq!(clash.strays.len(), 1, "{clash:?}");
    assert!(
        clash.strays[0].starts_with("helper of ") && clash.strays[0].contains("two.a"),
        "{clash:?}"
    );
}
