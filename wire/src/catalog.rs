//! The algorithm catalogue: every parameter set, by its provider-independent name.
//!
//! Sizes and levels are those of the submissions as liboqs 0.13 implements them; a test on the target compares them with
//! what the provider reports. Ids travel on the wire and stay for ever.
use core::fmt;
use serde::{Deserialize, Serialize};

/// Number of an algorithm on the wire. Ids are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AlgorithmId(pub u16);

/// The library that an algorithm's code comes from. Append-only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Provider {
    /// Does nothing: measures the harness.
    Null,
    /// liboqs, through the crate `oqs`.
    Liboqs,
    /// PQClean, through the crates `pqcrypto-*`.
    Pqclean,
    /// RustCrypto and dalek.
    Classical,
    /// Misbehaves on purpose: shows that the bench survives it.
    Faulty,
}

impl Provider {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Null,
        Self::Liboqs,
        Self::Pqclean,
        Self::Classical,
        Self::Faulty,
    ];

    /// The name in tables, options and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Liboqs => "liboqs",
            Self::Pqclean => "pqclean",
            Self::Classical => "classical",
            Self::Faulty => "faulty",
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is measured. Append-only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Operation {
    /// Make a key pair.
    Keygen,
    /// Encapsulate a secret under a public key.
    Encaps,
    /// Recover the secret from a ciphertext.
    Decaps,
    /// Sign a 32-byte message.
    Sign,
    /// Verify a signature.
    Verify,
    /// Derive a secret from a private and another side's public key.
    Derive,
    /// Nothing: the timer around an empty operation.
    Nothing,
}

impl Operation {
    /// All of them, in the order in which they are run.
    pub const ALL: [Self; 7] = [
        Self::Nothing,
        Self::Keygen,
        Self::Encaps,
        Self::Decaps,
        Self::Sign,
        Self::Verify,
        Self::Derive,
    ];

    /// The name in tables, options and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Keygen => "keygen",
            Self::Encaps => "encaps",
            Self::Decaps => "decaps",
            Self::Sign => "sign",
            Self::Verify => "verify",
            Self::Derive => "derive",
            Self::Nothing => "nothing",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What kind of scheme an algorithm is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Key encapsulation.
    Kem,
    /// Signature.
    Signature,
    /// Diffie-Hellman key agreement.
    Agreement,
    /// The empty operation.
    Null,
}

impl Kind {
    /// The operations of this kind.
    #[must_use]
    pub fn operations(self) -> &'static [Operation] {
        match self {
            Self::Kem => &[Operation::Keygen, Operation::Encaps, Operation::Decaps],
            Self::Signature => &[Operation::Keygen, Operation::Sign, Operation::Verify],
            Self::Agreement => &[Operation::Keygen, Operation::Derive],
            Self::Null => &[Operation::Nothing],
        }
    }

    /// The name in tables and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Kem => "KEM",
            Self::Signature => "signature",
            Self::Agreement => "agreement",
            Self::Null => "null",
        }
    }
}

/// A family of parameter sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the variants are the families' names")]
pub enum Family {
    MlKem,
    Bike,
    Hqc,
    FrodoKem,
    ClassicMcEliece,
    MlDsa,
    Falcon,
    SphincsPlus,
    Mayo,
    Cross,
    Kyber,
    NtruPrime,
    Dilithium,
    Uov,
    X25519,
    Ecdh,
    Ed25519,
    Ecdsa,
    Rsa,
    Null,
    Faulty,
}

impl Family {
    /// The family's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MlKem => "ML-KEM",
            Self::Bike => "BIKE",
            Self::Hqc => "HQC",
            Self::FrodoKem => "FrodoKEM",
            Self::ClassicMcEliece => "Classic McEliece",
            Self::MlDsa => "ML-DSA",
            Self::Falcon => "Falcon",
            Self::SphincsPlus => "SPHINCS+",
            Self::Mayo => "MAYO",
            Self::Cross => "CROSS",
            Self::Kyber => "Kyber",
            Self::NtruPrime => "NTRU Prime",
            Self::Dilithium => "Dilithium",
            Self::Uov => "UOV",
            Self::X25519 => "X25519",
            Self::Ecdh => "ECDH",
            Self::Ed25519 => "Ed25519",
            Self::Ecdsa => "ECDSA",
            Self::Rsa => "RSA",
            Self::Null => "null",
            Self::Faulty => "faulty",
        }
    }

    /// Where the family stands: the standard, or the draft that the provider's code follows.
    #[must_use]
    pub fn standard(self) -> &'static str {
        match self {
            Self::MlKem => "FIPS 203",
            Self::Bike => "NIST round 4 candidate",
            Self::Hqc => "NIST round 4 draft, before the standard was begun: outdated",
            Self::FrodoKem => "NIST round 3 submission; ISO draft",
            Self::ClassicMcEliece => "NIST round 4 candidate; ISO draft",
            Self::MlDsa => "FIPS 204",
            Self::Falcon => "NIST round 3 submission, before FN-DSA",
            Self::SphincsPlus => "NIST round 3.1 submission, not SLH-DSA (FIPS 205)",
            Self::Mayo => "NIST additional signatures, round 2",
            Self::Cross => "NIST additional signatures, round 1",
            Self::Kyber => "NIST round 3 submission, before FIPS 203: legacy",
            Self::NtruPrime => "NIST round 3 alternate",
            Self::Dilithium => "NIST round 3 submission, before FIPS 204: legacy",
            Self::Uov => "NIST additional signatures, round 2",
            Self::X25519 => "RFC 7748",
            Self::Ecdh => "SP 800-56A",
            Self::Ed25519 => "RFC 8032",
            Self::Ecdsa => "FIPS 186-5",
            Self::Rsa => "RFC 8017: RSASSA-PSS with SHA-256",
            Self::Null | Self::Faulty => "none",
        }
    }

    /// Operations whose running time depends on the randomness drawn (rejection sampling, retries): one draw says little.
    #[must_use]
    pub fn random_time(self) -> &'static [Operation] {
        match self {
            Self::MlDsa | Self::Dilithium | Self::Mayo | Self::Uov | Self::Cross => {
                &[Operation::Sign]
            }
            Self::Falcon => &[Operation::Keygen, Operation::Sign],
            Self::NtruPrime | Self::Rsa => &[Operation::Keygen],
            Self::Bike | Self::Hqc | Self::ClassicMcEliece => {
                &[Operation::Keygen, Operation::Encaps]
            }
            _ => &[],
        }
    }
}

/// Sizes in bytes. Zero where the kind has no such thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Public key.
    pub public_key: u32,
    /// Secret key.
    pub secret_key: u32,
    /// Ciphertext of a KEM.
    pub ciphertext: u32,
    /// Longest signature.
    pub signature: u32,
    /// Shared secret of a KEM or an agreement.
    pub shared_secret: u32,
}

/// One parameter set.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// Number on the wire.
    pub id: AlgorithmId,
    /// Canonical name.
    pub name: &'static str,
    /// Family.
    pub family: Family,
    /// Kind of scheme.
    pub kind: Kind,
    /// NIST security category, 1 to 5; 0 where quantum computers break it.
    pub level: u8,
    /// Sizes of keys and messages.
    pub sizes: Sizes,
    /// Providers that have it, each with its own name for it.
    pub providers: &'static [(Provider, &'static str)],
}

impl Algorithm {
    /// The algorithm with this id.
    #[must_use]
    pub fn by_id(id: AlgorithmId) -> Option<&'static Self> {
        ALGORITHMS.iter().find(|a| a.id == id)
    }

    /// The algorithm with this canonical name; case does not matter.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        ALGORITHMS
            .iter()
            .find(|a| a.name.eq_ignore_ascii_case(name))
    }

    /// The name that `provider` has for it.
    #[must_use]
    pub fn name_at(&self, provider: Provider) -> Option<&'static str> {
        self.providers
            .iter()
            .find(|(p, _)| *p == provider)
            .map(|(_, name)| *name)
    }

    /// Where it stands as `provider` has it: what two libraries keep under one name need not be one scheme.
    #[must_use]
    pub fn standard_at(&self, provider: Provider) -> &'static str {
        match (self.family, provider) {
            (Family::Kyber, Provider::Pqclean) => {
                "FIPS 203 draft of 2023, neither round 3 nor ML-KEM: legacy"
            }
            _ => self.family.standard(),
        }
    }

    /// Whether the operation's running time depends on the randomness drawn.
    #[must_use]
    pub fn has_random_time(&self, operation: Operation) -> bool {
        self.family.random_time().contains(&operation)
    }
}

macro_rules! entries {
    ($($constructor:ident($id:literal, $name:literal, Family::$family:ident, $level:literal, $native:literal, [$($size:literal),*])
        $(+ $other:ident($other_native:literal))?),* $(,)?) => {
        /// Every parameter set.
        pub const ALGORITHMS: &[Algorithm] = &[$(Algorithm {
            id: AlgorithmId($id),
            name: $name,
            family: Family::$family,
            kind: entries!(@kind $constructor),
            level: $level,
            sizes: $constructor([$($size),*]),
            providers: &[(entries!(@provider $constructor), $native) $(, (Provider::$other, $other_native))?],
        }),*];
    };
    (@kind kem) => { Kind::Kem };
    (@kind sig) => { Kind::Signature };
    (@kind agreement) => { Kind::Agreement };
    (@kind classical_sig) => { Kind::Signature };
    (@kind nothing) => { Kind::Null };
    (@kind faulty) => { Kind::Null };
    (@provider kem) => { Provider::Liboqs };
    (@provider sig) => { Provider::Liboqs };
    (@provider agreement) => { Provider::Classical };
    (@provider classical_sig) => { Provider::Classical };
    (@provider nothing) => { Provider::Null };
    (@provider faulty) => { Provider::Faulty };
}

const fn kem([public_key, secret_key, ciphertext, shared_secret]: [u32; 4]) -> Sizes {
    Sizes {
        public_key,
        secret_key,
        ciphertext,
        signature: 0,
        shared_secret,
    }
}
const fn sig([public_key, secret_key, signature]: [u32; 3]) -> Sizes {
    Sizes {
        public_key,
        secret_key,
        ciphertext: 0,
        signature,
        shared_secret: 0,
    }
}
const fn classical_sig(sizes: [u32; 3]) -> Sizes {
    sig(sizes)
}
const fn agreement([public_key, secret_key, shared_secret]: [u32; 3]) -> Sizes {
    Sizes {
        public_key,
        secret_key,
        ciphertext: 0,
        signature: 0,
        shared_secret,
    }
}
const fn nothing(_: [u32; 0]) -> Sizes {
    Sizes {
        public_key: 0,
        secret_key: 0,
        ciphertext: 0,
        signature: 0,
        shared_secret: 0,
    }
}
const fn faulty(sizes: [u32; 0]) -> Sizes {
    nothing(sizes)
}

entries! {
    nothing(0, "null", Family::Null, 0, "null", []),
    kem(1, "ML-KEM-512", Family::MlKem, 1, "ML-KEM-512", [800, 1632, 768, 32]) + Pqclean("ML-KEM-512"),
    kem(2, "ML-KEM-768", Family::MlKem, 3, "ML-KEM-768", [1184, 2400, 1088, 32]) + Pqclean("ML-KEM-768"),
    kem(3, "ML-KEM-1024", Family::MlKem, 5, "ML-KEM-1024", [1568, 3168, 1568, 32]) + Pqclean("ML-KEM-1024"),
    kem(4, "BIKE-L1", Family::Bike, 1, "BIKE-L1", [1541, 5223, 1573, 32]),
    kem(5, "BIKE-L3", Family::Bike, 3, "BIKE-L3", [3083, 10105, 3115, 32]),
    kem(6, "BIKE-L5", Family::Bike, 5, "BIKE-L5", [5122, 16494, 5154, 32]),
    kem(7, "HQC-128", Family::Hqc, 1, "HQC-128", [2249, 2305, 4433, 64]),
    kem(8, "HQC-192", Family::Hqc, 3, "HQC-192", [4522, 4586, 8978, 64]),
    kem(9, "HQC-256", Family::Hqc, 5, "HQC-256", [7245, 7317, 14421, 64]),
    kem(10, "FrodoKEM-640-AES", Family::FrodoKem, 1, "FrodoKEM-640-AES", [9616, 19888, 9720, 16]),
    kem(11, "FrodoKEM-640-SHAKE", Family::FrodoKem, 1, "FrodoKEM-640-SHAKE", [9616, 19888, 9720, 16]),
    kem(12, "FrodoKEM-976-AES", Family::FrodoKem, 3, "FrodoKEM-976-AES", [15632, 31296, 15744, 24]),
    kem(13, "FrodoKEM-976-SHAKE", Family::FrodoKem, 3, "FrodoKEM-976-SHAKE", [15632, 31296, 15744, 24]),
    kem(14, "FrodoKEM-1344-AES", Family::FrodoKem, 5, "FrodoKEM-1344-AES", [21520, 43088, 21632, 32]),
    kem(15, "FrodoKEM-1344-SHAKE", Family::FrodoKem, 5, "FrodoKEM-1344-SHAKE", [21520, 43088, 21632, 32]),
    kem(16, "Classic-McEliece-348864", Family::ClassicMcEliece, 1, "Classic-McEliece-348864", [261120, 6492, 96, 32]),
    kem(17, "Classic-McEliece-348864f", Family::ClassicMcEliece, 1, "Classic-McEliece-348864f", [261120, 6492, 96, 32]),
    kem(18, "Classic-McEliece-460896", Family::ClassicMcEliece, 3, "Classic-McEliece-460896", [524160, 13608, 156, 32]),
    kem(19, "Classic-McEliece-460896f", Family::ClassicMcEliece, 3, "Classic-McEliece-460896f", [524160, 13608, 156, 32]),
    kem(20, "Classic-McEliece-6688128", Family::ClassicMcEliece, 5, "Classic-McEliece-6688128", [1044992, 13932, 208, 32]),
    kem(21, "Classic-McEliece-6688128f", Family::ClassicMcEliece, 5, "Classic-McEliece-6688128f", [1044992, 13932, 208, 32]),
    kem(22, "Classic-McEliece-6960119", Family::ClassicMcEliece, 5, "Classic-McEliece-6960119", [1047319, 13948, 194, 32]),
    kem(23, "Classic-McEliece-6960119f", Family::ClassicMcEliece, 5, "Classic-McEliece-6960119f", [1047319, 13948, 194, 32]),
    kem(24, "Classic-McEliece-8192128", Family::ClassicMcEliece, 5, "Classic-McEliece-8192128", [1357824, 14120, 208, 32]),
    kem(25, "Classic-McEliece-8192128f", Family::ClassicMcEliece, 5, "Classic-McEliece-8192128f", [1357824, 14120, 208, 32]),
    sig(26, "ML-DSA-44", Family::MlDsa, 2, "ML-DSA-44", [1312, 2560, 2420]),
    sig(27, "ML-DSA-65", Family::MlDsa, 3, "ML-DSA-65", [1952, 4032, 3309]),
    sig(28, "ML-DSA-87", Family::MlDsa, 5, "ML-DSA-87", [2592, 4896, 4627]),
    sig(29, "Falcon-512", Family::Falcon, 1, "Falcon-512", [897, 1281, 752]) + Pqclean("Falcon-512"),
    sig(30, "Falcon-1024", Family::Falcon, 5, "Falcon-1024", [1793, 2305, 1462]) + Pqclean("Falcon-1024"),
    sig(31, "Falcon-padded-512", Family::Falcon, 1, "Falcon-padded-512", [897, 1281, 666]) + Pqclean("Falcon-padded-512"),
    sig(32, "Falcon-padded-1024", Family::Falcon, 5, "Falcon-padded-1024", [1793, 2305, 1280]) + Pqclean("Falcon-padded-1024"),
    sig(33, "SPHINCS+-SHA2-128f", Family::SphincsPlus, 1, "SPHINCS+-SHA2-128f-simple", [32, 64, 17088]),
    sig(34, "SPHINCS+-SHA2-128s", Family::SphincsPlus, 1, "SPHINCS+-SHA2-128s-simple", [32, 64, 7856]),
    sig(35, "SPHINCS+-SHA2-192f", Family::SphincsPlus, 3, "SPHINCS+-SHA2-192f-simple", [48, 96, 35664]),
    sig(36, "SPHINCS+-SHA2-192s", Family::SphincsPlus, 3, "SPHINCS+-SHA2-192s-simple", [48, 96, 16224]),
    sig(37, "SPHINCS+-SHA2-256f", Family::SphincsPlus, 5, "SPHINCS+-SHA2-256f-simple", [64, 128, 49856]),
    sig(38, "SPHINCS+-SHA2-256s", Family::SphincsPlus, 5, "SPHINCS+-SHA2-256s-simple", [64, 128, 29792]),
    sig(39, "SPHINCS+-SHAKE-128f", Family::SphincsPlus, 1, "SPHINCS+-SHAKE-128f-simple", [32, 64, 17088]),
    sig(40, "SPHINCS+-SHAKE-128s", Family::SphincsPlus, 1, "SPHINCS+-SHAKE-128s-simple", [32, 64, 7856]),
    sig(41, "SPHINCS+-SHAKE-192f", Family::SphincsPlus, 3, "SPHINCS+-SHAKE-192f-simple", [48, 96, 35664]),
    sig(42, "SPHINCS+-SHAKE-192s", Family::SphincsPlus, 3, "SPHINCS+-SHAKE-192s-simple", [48, 96, 16224]),
    sig(43, "SPHINCS+-SHAKE-256f", Family::SphincsPlus, 5, "SPHINCS+-SHAKE-256f-simple", [64, 128, 49856]),
    sig(44, "SPHINCS+-SHAKE-256s", Family::SphincsPlus, 5, "SPHINCS+-SHAKE-256s-simple", [64, 128, 29792]),
    sig(45, "MAYO-1", Family::Mayo, 1, "MAYO-1", [1420, 24, 454]),
    sig(46, "MAYO-2", Family::Mayo, 1, "MAYO-2", [4912, 24, 186]),
    sig(47, "MAYO-3", Family::Mayo, 3, "MAYO-3", [2986, 32, 681]),
    sig(48, "MAYO-5", Family::Mayo, 5, "MAYO-5", [5554, 40, 964]),
    sig(49, "CROSS-RSDP-128-balanced", Family::Cross, 1, "cross-rsdp-128-balanced", [77, 32, 13152]),
    sig(50, "CROSS-RSDP-128-fast", Family::Cross, 1, "cross-rsdp-128-fast", [77, 32, 18432]),
    sig(51, "CROSS-RSDP-128-small", Family::Cross, 1, "cross-rsdp-128-small", [77, 32, 12432]),
    sig(52, "CROSS-RSDP-192-balanced", Family::Cross, 3, "cross-rsdp-192-balanced", [115, 48, 29853]),
    sig(53, "CROSS-RSDP-192-fast", Family::Cross, 3, "cross-rsdp-192-fast", [115, 48, 41406]),
    sig(54, "CROSS-RSDP-192-small", Family::Cross, 3, "cross-rsdp-192-small", [115, 48, 28391]),
    sig(55, "CROSS-RSDP-256-balanced", Family::Cross, 5, "cross-rsdp-256-balanced", [153, 64, 53527]),
    sig(56, "CROSS-RSDP-256-fast", Family::Cross, 5, "cross-rsdp-256-fast", [153, 64, 74590]),
    sig(57, "CROSS-RSDP-256-small", Family::Cross, 5, "cross-rsdp-256-small", [153, 64, 50818]),
    sig(58, "CROSS-RSDPG-128-balanced", Family::Cross, 1, "cross-rsdpg-128-balanced", [54, 32, 9120]),
    sig(59, "CROSS-RSDPG-128-fast", Family::Cross, 1, "cross-rsdpg-128-fast", [54, 32, 11980]),
    sig(60, "CROSS-RSDPG-128-small", Family::Cross, 1, "cross-rsdpg-128-small", [54, 32, 8960]),
    sig(61, "CROSS-RSDPG-192-balanced", Family::Cross, 3, "cross-rsdpg-192-balanced", [83, 48, 22464]),
    sig(62, "CROSS-RSDPG-192-fast", Family::Cross, 3, "cross-rsdpg-192-fast", [83, 48, 26772]),
    sig(63, "CROSS-RSDPG-192-small", Family::Cross, 3, "cross-rsdpg-192-small", [83, 48, 20452]),
    sig(64, "CROSS-RSDPG-256-balanced", Family::Cross, 5, "cross-rsdpg-256-balanced", [106, 64, 40100]),
    sig(65, "CROSS-RSDPG-256-fast", Family::Cross, 5, "cross-rsdpg-256-fast", [106, 64, 48102]),
    sig(66, "CROSS-RSDPG-256-small", Family::Cross, 5, "cross-rsdpg-256-small", [106, 64, 36454]),
    kem(67, "Kyber512", Family::Kyber, 1, "Kyber512", [800, 1632, 768, 32]) + Pqclean("Kyber512"),
    kem(68, "Kyber768", Family::Kyber, 3, "Kyber768", [1184, 2400, 1088, 32]) + Pqclean("Kyber768"),
    kem(69, "Kyber1024", Family::Kyber, 5, "Kyber1024", [1568, 3168, 1568, 32]) + Pqclean("Kyber1024"),
    kem(70, "sntrup761", Family::NtruPrime, 2, "sntrup761", [1158, 1763, 1039, 32]),
    sig(71, "Dilithium2", Family::Dilithium, 2, "Dilithium2", [1312, 2528, 2420]),
    sig(72, "Dilithium3", Family::Dilithium, 3, "Dilithium3", [1952, 4000, 3293]),
    sig(73, "Dilithium5", Family::Dilithium, 5, "Dilithium5", [2592, 4864, 4595]),
    sig(74, "UOV-Is", Family::Uov, 1, "OV-Is", [412160, 348704, 96]),
    sig(75, "UOV-Ip", Family::Uov, 1, "OV-Ip", [278432, 237896, 128]),
    sig(76, "UOV-III", Family::Uov, 3, "OV-III", [1225440, 1044320, 200]),
    sig(77, "UOV-V", Family::Uov, 5, "OV-V", [2869440, 2436704, 260]),
    sig(78, "UOV-Is-pkc", Family::Uov, 1, "OV-Is-pkc", [66576, 348704, 96]),
    sig(79, "UOV-Ip-pkc", Family::Uov, 1, "OV-Ip-pkc", [43576, 237896, 128]),
    sig(80, "UOV-III-pkc", Family::Uov, 3, "OV-III-pkc", [189232, 1044320, 200]),
    sig(81, "UOV-V-pkc", Family::Uov, 5, "OV-V-pkc", [446992, 2436704, 260]),
    sig(82, "UOV-Is-pkc-skc", Family::Uov, 1, "OV-Is-pkc-skc", [66576, 32, 96]),
    sig(83, "UOV-Ip-pkc-skc", Family::Uov, 1, "OV-Ip-pkc-skc", [43576, 32, 128]),
    sig(84, "UOV-III-pkc-skc", Family::Uov, 3, "OV-III-pkc-skc", [189232, 32, 200]),
    sig(85, "UOV-V-pkc-skc", Family::Uov, 5, "OV-V-pkc-skc", [446992, 32, 260]),
    agreement(200, "X25519", Family::X25519, 0, "x25519-dalek", [32, 32, 32]),
    agreement(201, "ECDH-P256", Family::Ecdh, 0, "p256", [65, 32, 32]),
    classical_sig(202, "Ed25519", Family::Ed25519, 0, "ed25519-dalek", [32, 32, 64]),
    classical_sig(203, "ECDSA-P256", Family::Ecdsa, 0, "p256", [65, 32, 64]),
    classical_sig(204, "RSA-2048", Family::Rsa, 0, "rsa-2048", [259, 771, 256]),
    classical_sig(205, "RSA-3072", Family::Rsa, 0, "rsa-3072", [387, 1155, 384]),
    faulty(240, "faulty-crash", Family::Faulty, 0, "crash", []),
    faulty(241, "faulty-hang", Family::Faulty, 0, "hang", []),
    faulty(242, "faulty-stack", Family::Faulty, 0, "stack", []),
    faulty(243, "faulty-heap", Family::Faulty, 0, "heap", []),
    faulty(244, "faulty-abort", Family::Faulty, 0, "abort", []),
    faulty(245, "faulty-failure", Family::Faulty, 0, "failure", []),
}
