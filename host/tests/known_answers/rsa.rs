//! RSA against OpenSSL, in both directions: it verifies what the program signed, and the program what it signed.
use super::board::native;
use super::nist;
use super::nist::hex;
use super::tamper;
use super::target::{Scheme, Target};
use std::fs;
use std::path::Path;
use std::process::Command;
use wire::catalog::{Operation, Provider};
use wire::message::{Dispatch, Randomness, Slot};

/// As the catalogue has it: PSS, SHA-256 for message and mask, as many bytes of salt.
const SCHEME: [&str; 4] = [
    "-sigopt",
    "rsa_padding_mode:pss",
    "-sigopt",
    "rsa_pss_saltlen:32",
];

fn openssl(folder: &Path, arguments: &[&str], more: &[&str]) -> String {
    let out = Command::new("openssl")
        .current_dir(folder)
        .args(arguments)
        .args(more)
        .output()
        .expect("openssl runs");
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{arguments:?}: {text}{errors}");
    text
}

/// DER: a tag, a length and a content.
fn der(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    match content.len() {
        length @ 0..128 => out.push(length as u8),
        length => {
            out.push(0x82);
            out.extend((length as u16).to_be_bytes());
        }
    }
    out.extend(content);
    out
}

/// RSAPublicKey of RFC 8017, A.1.1.
fn public_key(modulus: &[u8], exponent: &[u8]) -> Vec<u8> {
    // A leading zero: numbers have a sign.
    let number = |bytes: &[u8]| der(2, &[&[0][..], bytes].concat());
    der(0x30, &[number(modulus), der(2, exponent)].concat())
}

fn both_ways(target: &mut Target, name: &str, bits: usize) {
    let folder = tempfile::tempdir().unwrap();
    let scheme = Scheme::new(name, Provider::Classical);
    let message = b"a message for both sides";
    let nist = || Randomness::NistDrbg(nist::entropy().to_vec());
    target.perform(scheme, Operation::Keygen, nist());
    target.store(Slot::Message, message);
    target.perform(scheme, Operation::Sign, nist());
    target.perform(scheme, Operation::Verify, nist());
    let mut wrong = Vec::new();
    tamper::notices_tampering(target, scheme, &mut wrong);
    assert_eq!(wrong, Vec::<String>::new());

    let public = target.fetch(Slot::PublicKey);
    let (modulus, exponent) = public.split_at(bits / 8);
    let file = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    file("public.der", &public_key(modulus, exponent));
    file("message", message);
    file("signature", &target.fetch(Slot::Signature));
    let pem = [
        "rsa",
        "-RSAPublicKey_in",
        "-inform",
        "DER",
        "-in",
        "public.der",
    ];
    openssl(folder.path(), &pem, &["-pubout", "-out", "public.pem"]);
    let verify = [
        "dgst",
        "-sha256",
        "-verify",
        "public.pem",
        "-signature",
        "signature",
    ];
    let said = openssl(
        folder.path(),
        &verify,
        &[&SCHEME[..], &["message"]].concat(),
    );
    assert!(said.contains("Verified OK"), "{said}");

    let own = ["genrsa", "-out", "own.pem"];
    openssl(folder.path(), &own, &[&bits.to_string()]);
    let sign = [
        "dgst",
        "-sha256",
        "-sign",
        "own.pem",
        "-out",
        "own.signature",
    ];
    openssl(folder.path(), &sign, &[&SCHEME[..], &["message"]].concat());
    let modulus = openssl(
        folder.path(),
        &["rsa", "-in", "own.pem"],
        &["-noout", "-modulus"],
    );
    let modulus = modulus.trim().trim_start_matches("Modulus=").to_lowercase();
    let public = [hex::bytes(&modulus), vec![1, 0, 1]].concat();
    target.store(Slot::PublicKey, &public);
    target.store(
        Slot::Signature,
        &fs::read(folder.path().join("own.signature")).unwrap(),
    );
    target.perform(scheme, Operation::Verify, nist());
}

#[test]
#[ignore = "slow: boots the emulated board"]
fn rsa_and_openssl_accept_each_other() {
    native().run(Dispatch::Detected, |target| {
        both_ways(target, "RSA-2048", 2048);
        both_ways(target, "RSA-3072", 3072);
    });
}
