//! A liboqs of the user's own: compiled from the sources that oqs-sys brings, as its user would, with two algorithms.
//!
//! `cargo test -p host --test own_liboqs -- --ignored --nocapture`; `cargo run -p host -- setup --yes` must have run.
mod command;
mod oqs_sys;

use command::{host, json, run};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles and installs it.
fn install(folder: &Path) -> PathBuf {
    let (build, prefix) = (folder.join("build"), folder.join("installed"));
    run(Command::new("cmake")
        .arg("-S")
        .arg(oqs_sys::sources())
        .arg("-B")
        .arg(&build)
        .args([
            "-DCMAKE_SYSTEM_NAME=Linux",
            "-DCMAKE_SYSTEM_PROCESSOR=aarch64",
            "-DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc",
            "-DCMAKE_BUILD_TYPE=Release",
            // Something by which it is told from the vendored one.
            "-DCMAKE_C_FLAGS=-mgeneral-regs-only",
            "-DOQS_DIST_BUILD=OFF",
            "-DOQS_MINIMAL_BUILD=KEM_ml_kem_512;SIG_falcon_512",
            "-DOQS_USE_OPENSSL=OFF",
            "-DOQS_BUILD_ONLY_LIB=ON",
        ])
        .arg(format!("-DCMAKE_INSTALL_PREFIX={}", prefix.display())));
    run(Command::new("cmake").arg("--build").arg(build).args([
        "--parallel",
        "2",
        "--target",
        "install",
    ]));
    prefix
}

#[test]
#[ignore = "slow: compiles the target programs anew"]
fn a_liboqs_of_the_users_is_measured_and_compared() {
    let folder = tempfile::tempdir().unwrap();
    let installed = install(folder.path());
    let archive = folder.path().join("archive");
    let measured = |liboqs: &str| {
        let arguments = ["flash-and-bench", "--env", "native", "--seed", "1"];
        let more = [
            "--algorithms",
            "ML-KEM-512,Falcon-512,BIKE-L1",
            "--liboqs",
            liboqs,
        ];
        let out = host(&archive, &[&arguments[..], &more].concat());
        let errors = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{errors}");
        let shown = json(&archive, &["archive", "show", "latest"]);
        (shown["run"].clone(), errors.into_owned())
    };
    let (vendored, _) = measured("vendored");
    let (own, said) = measured(installed.to_str().unwrap());
    assert!(
        said.contains("BIKE-L1") && said.contains("does not hold it"),
        "{said}"
    );
    let id = |run: &Value| run["run"].as_str().unwrap().to_owned();
    let version = own["facts"]["liboqs"].as_str().unwrap();
    assert!(version.starts_with("0.13.0 (own, sha256 "), "{version}");
    let (vendored, own) = (id(&vendored), id(&own));
    let ratios = json(&archive, &["compare", &vendored, &own, "--by", "liboqs"]);
    let ratios = ratios.as_array().unwrap();
    assert_eq!(ratios.len(), 6);
    for ratio in ratios {
        assert_eq!(ratio["candidate"], version);
        println!(
            "{} {}: {}",
            ratio["algorithm"], ratio["operation"], ratio["ratio"]
        );
    }
    // General registers only.
    let signing = ratios
        .iter()
        .find(|r| r["algorithm"] == "Falcon-512" && r["operation"] == "sign")
        .unwrap();
    assert!((19.0..26.0).contains(&signing["ratio"].as_f64().unwrap()));
}
