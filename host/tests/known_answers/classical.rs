//! The classical algorithms against their RFCs, and ECDH against NIST's vectors.
use super::board::native;
use super::nist::hex;
use super::tamper;
use super::target::{Scheme, Target};
use wire::catalog::{Operation, Provider};
use wire::message::{Dispatch, Randomness, Slot};

/// (private key, the other side's public key, secret): RFC 7748, sections 5.2 and 6.1, the first ones.
const X25519: [[&str; 3]; 4] = [
    [
        "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
        "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
        "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
    ],
    // One iteration from the base point.
    [
        "0900000000000000000000000000000000000000000000000000000000000000",
        "0900000000000000000000000000000000000000000000000000000000000000",
        "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079",
    ],
    [
        "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
        "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
        "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742",
    ],
    [
        "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
        "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
        "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742",
    ],
];

/// The same for P-256, points uncompressed: NIST's CAVP, ECC CDH primitive, P-256, the first one.
const P256: [[&str; 3]; 1] = [[
    "7d7dc5f71eb29ddaf80d6214632eeae03d9058af1fb6d22ed80badb62bc1a534",
    "04700c48f77f56584c5cc632ca65640db91b6bacce3a4df6b42ce7cc838833d287\
     db71e509e3fd9b060ddb20ba5c51dcc5948d46fbf640dfe0441782cab85fa4ac",
    "46fc62106420ff012e54a434fbdd2d25ccc5852060561e68040dd7778997bd7b",
]];

/// (private key, public key, message, signature): RFC 8032, section 7.1, tests 1 to 3.
const ED25519: [[&str; 4]; 3] = [
    [
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ],
    [
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ],
    [
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ],
];

/// The same for ECDSA with P-256 and SHA-256: RFC 6979, appendix A.2.5, messages "sample" and "test". The nonce is deterministic.
const ECDSA: [[&str; 4]; 2] = [
    [
        "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
        "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6\
         7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299",
        "73616d706c65",
        "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
    ],
    [
        "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
        "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6\
         7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299",
        "74657374",
        "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083",
    ],
];

/// Nothing is drawn: operations that want randomness would fail.
fn nothing() -> Randomness {
    Randomness::Bytes(Vec::new())
}

fn agrees(target: &mut Target, name: &str, [secret, peer, shared]: [&str; 3]) {
    let scheme = Scheme::new(name, Provider::Classical);
    target.store(Slot::SecretKey, &hex::bytes(secret));
    target.store(Slot::PublicKey, &hex::bytes(peer));
    target.perform(scheme, Operation::Derive, nothing());
    assert_eq!(hex::of(&target.fetch(Slot::SharedSecret)), shared, "{name}");
}

fn signs(target: &mut Target, name: &str, [secret, public, message, signature]: [&str; 4]) {
    let scheme = Scheme::new(name, Provider::Classical);
    target.perform(
        scheme,
        Operation::Keygen,
        Randomness::Bytes(hex::bytes(secret)),
    );
    assert_eq!(hex::of(&target.fetch(Slot::SecretKey)), secret, "{name}");
    assert_eq!(hex::of(&target.fetch(Slot::PublicKey)), public, "{name}");
    target.store(Slot::Message, &hex::bytes(message));
    target.perform(scheme, Operation::Sign, nothing());
    assert_eq!(hex::of(&target.fetch(Slot::Signature)), signature, "{name}");
    target.perform(scheme, Operation::Verify, nothing());
    if !message.is_empty() {
        let mut wrong = Vec::new();
        tamper::notices_tampering(target, scheme, &mut wrong);
        assert_eq!(wrong, Vec::<String>::new());
    }
}

#[test]
#[ignore = "slow: boots the emulated board"]
fn vectors_of_the_rfcs_hold() {
    native().run(Dispatch::Detected, |target| {
        for vector in X25519 {
            agrees(target, "X25519", vector);
        }
        for vector in P256 {
            agrees(target, "ECDH-P256", vector);
        }
        for vector in ED25519 {
            signs(target, "Ed25519", vector);
        }
        for vector in ECDSA {
            signs(target, "ECDSA-P256", vector);
        }
    });
}
