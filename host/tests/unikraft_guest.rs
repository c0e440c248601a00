//! The environment `unikraft`, over a kernel that stands in for Unikraft's ELF loader (tests/unikraft): as little as such a kernel may offer, a
//! console that echoes and translates, and no word of the CPU's features.
//!
//! `cargo test -p host --test unikraft_guest -- --ignored --nocapture`; `cargo run -p host -- setup --yes` must have run.
mod command;

use command::{host, json, run};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles the stand-in, which says that the CPU has `features`; gives the image that QEMU loads.
fn stand_in(folder: &Path, features: u64) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/unikraft");
    let (elf, image) = (folder.join("kernel.elf"), folder.join("kernel.img"));
    let flags = "-std=gnu11 -O2 -Wall -Wextra -Werror -ffreestanding -fno-pic -fno-stack-protector -mgeneral-regs-only -mstrict-align \
                 -nostdlib -static -no-pie -Wl,--build-id=none";
    run(Command::new("aarch64-linux-gnu-gcc")
        .args(flags.split_whitespace())
        .arg(format!("-DHWCAP={features}"))
        .arg(format!("-Wl,-T,{}", sources.join("kernel.ld").display()))
        .args([sources.join("start.S"), sources.join("kernel.c")])
        .arg("-o")
        .arg(&elf));
    run(Command::new("aarch64-linux-gnu-objcopy")
        .args(["-O", "binary"])
        .args([&elf, &image]));
    image
}

/// Median counts by operation and environment, of a run in which both do the same work.
type Medians = BTreeMap<(String, String), BTreeMap<String, f64>>;

/// Runs `algorithms` natively and under `kernel`.
fn measure(archive: &Path, kernel: &Path, algorithms: &str) -> Medians {
    let arguments = [
        "flash-and-bench",
        "--env",
        "native,unikraft",
        "--algorithms",
    ];
    let kernel = ["--unikraft-kernel", kernel.to_str().unwrap()];
    let out = host(
        archive,
        &[&arguments[..], &[algorithms], &kernel[..]].concat(),
    );
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{errors}");
    let shown = json(archive, &["archive", "show", "latest"]);
    let mut medians = Medians::new();
    let mut digests: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for row in shown["rows"].as_array().unwrap() {
        let text = |field: &str| row[field].as_str().unwrap_or_default().to_owned();
        let key = (text("algorithm"), text("operation"));
        if text("provider") == "null" {
            continue;
        }
        digests.entry(key.clone()).or_default().push(text("digest"));
        let median = row["median"].as_f64().unwrap();
        medians
            .entry(key)
            .or_default()
            .insert(text("environment"), median);
    }
    for (operation, digests) in &digests {
        assert_eq!(digests.len(), 2, "{operation:?}");
        assert_eq!(digests[0], digests[1], "{operation:?}");
    }
    medians
}

fn ratio(medians: &Medians, algorithm: &str, operation: &str) -> f64 {
    let of = &medians[&(algorithm.to_owned(), operation.to_owned())];
    of["unikraft"] / of["native"]
}

/// What a published comparison saw of Falcon under Unikraft, whose loader says nothing of the CPU's features.
#[test]
#[ignore = "slow: boots the emulated board"]
fn a_kernel_that_hides_the_cpus_features_makes_falcon_slow() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = stand_in(folder.path(), 0);
    let archive = folder.path().join("archive");
    let medians = measure(&archive, &kernel, "Falcon-512,ML-KEM-512,BIKE-L1");
    assert_eq!(medians.len(), 9);
    let ratio = |algorithm, operation| ratio(&medians, algorithm, operation);
    let falcon = ratio("Falcon-512", "sign");
    let kem = ratio("ML-KEM-512", "keygen");
    let bike = ratio("BIKE-L1", "keygen");
    println!(
        "unikraft over native: Falcon-512 sign {falcon:.2}, ML-KEM-512 keygen {kem:.2}, BIKE-L1 keygen {bike:.3}"
    );
    assert!((19.0..26.0).contains(&falcon));
    assert!((1.3..1.7).contains(&kem));
    assert!((0.99..1.01).contains(&bike));
    let explained = json(&archive, &["explain", "latest"]).to_string();
    assert!(explained.contains("hidden-features"), "{explained}");

    // It found itself at the kernel's own level, and took the cycle counter there.
    let run = std::fs::read_dir(&archive)
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let manifest = std::fs::read(run.path().join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let mut invocations = manifest["invocations"].as_array().unwrap().iter();
    let guest = invocations
        .find(|i| i["environment"] == "unikraft")
        .expect("an invocation");
    assert_eq!(guest["program"], "unikraft");
    assert_eq!(guest["surroundings"]["exception_level"], 1);
    assert_eq!(guest["clocks"]["count"]["counter"], "PMCCNTR_EL0");
    assert_eq!(guest["cpu"]["features_seen"], serde_json::json!([]));
}

#[test]
#[ignore = "slow: boots the emulated board"]
fn a_kernel_that_tells_them_does_not() {
    // fp, asimd, aes, pmull, sha1, sha2, crc32: what the emulated CPU has.
    const FEATURES: u64 = 0xfb;
    let folder = tempfile::tempdir().unwrap();
    let kernel = stand_in(folder.path(), FEATURES);
    let medians = measure(&folder.path().join("archive"), &kernel, "Falcon-512");
    let falcon = ratio(&medians, "Falcon-512", "sign");
    println!("unikraft over native: Falcon-512 sign {falcon:.4}");
    assert!((0.99..1.01).contains(&falcon));
}

#[test]
fn without_a_kernel_there_is_no_such_environment() {
    let folder = tempfile::tempdir().unwrap();
    let out = host(
        folder.path(),
        &["flash-and-bench", "--env", "unikraft", "--dry-run"],
    );
    let errors = String::from_utf8_lossy(&out.stderr);
    let output = String::from_utf8_lossy(&out.stdout);
    assert!(
        errors.contains("--unikraft-kernel") || output.contains("--unikraft-kernel"),
        "{output}{errors}"
    );
    let out = host(
        folder.path(),
        &[
            "flash-and-bench",
            "--env",
            "unikraft",
            "--unikraft-kernel",
            "/no/such/kernel",
        ],
    );
    let errors = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{errors}");
    assert!(
        errors.contains("/no/such/kernel cannot be read"),
        "{errors}"
    );
}
