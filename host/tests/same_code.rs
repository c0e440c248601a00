//! The claim that everything rests on: both target programs hold the same provider code.
use host::build::same_code::{compare, functions_of_library};
use std::fs;
use std::path::{Path, PathBuf};

fn firmware() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"),
        PathBuf::from,
    );
    target.join("aarch64-unknown-linux-gnu/firmware")
}

/// The newest liboqs.a that the build of the programs has made.
fn library() -> PathBuf {
    let build = firmware().join("build");
    let candidates = fs::read_dir(&build)
        .unwrap_or_else(|e| panic!("{}: {e}; build the target programs first", build.display()));
    candidates
        .filter_map(|entry| {
            Some(entry.ok()?.path().join("out/lib/liboqs.a")).filter(|path| path.exists())
        })
        .max_by_key(|path| fs::metadata(path).and_then(|m| m.modified()).ok())
        .expect("liboqs.a of the target build")
}

#[test]
#[ignore = "slow: needs the target programs, which `cargo run -p host -- flash-and-bench` builds"]
fn both_programs_hold_the_same_liboqs() {
    let names = functions_of_library(&fs::read(library()).unwrap()).unwrap();
    let linux = fs::read(firmware().join("linux")).unwrap();
    let bare = fs::read(firmware().join("bare")).unwrap();
    let result = compare(&linux, &bare, &names).unwrap();
    println!(
        "{} functions, {} bytes: {} identical, {} but for link-time fields, {} different, {} in one program alone",
        result.functions,
        result.bytes,
        result.identical,
        result.relocated,
        result.different.len(),
        result.only_in_one.len()
    );
    assert!(
        result.functions >= 500,
        "only {} functions were compared",
        result.functions
    );
    assert_eq!(result.different, []);
    assert_eq!(result.only_in_one, Vec::<String>::new());

    // The control: one changed instruction must be found, or the comparison proves nothing.
    let name = names
        .iter()
        .find(|name| name.as_str() == "OQS_KEM_keypair")
        .expect("OQS_KEM_keypair in liboqs.a");
    let place = place_of(&bare, name);
    let mut changed = bare;
    changed[place + 1] ^= 0x04;
    let result = compare(&linux, &changed, &names).unwrap();
    assert_eq!(result.different, [(name.clone(), 0)]);
}

/// File offset of a function's first instruction.
fn place_of(program: &[u8], name: &str) -> usize {
    use object::{Object, ObjectSection, ObjectSymbol};
    let file = object::File::parse(program).unwrap();
    let symbol = file
        .symbols()
        .find(|s| s.name() == Ok(name))
        .expect("the function in the program");
    let section = file
        .section_by_index(symbol.section_index().unwrap())
        .unwrap();
    let (start, _) = section.file_range().unwrap();
    (start + symbol.address() - section.address()) as usize
}
