//! What the programs of a board are built for.
use boards::{Board, Reach};

/// A kind of machine that programs are built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// 64-bit Arm: every board but one.
    Aarch64,
    /// The machine that runs the host program, where that is an x86-64 one: the board `local` there.
    X86_64,
}

impl Target {
    /// That of `board`, where the host program runs on this machine.
    #[must_use]
    pub fn of(board: &Board) -> Self {
        Self::on(std::env::consts::ARCH, board)
    }

    /// That of `board`, where the host program runs on a machine of `architecture`.
    #[must_use]
    pub fn on(architecture: &str, board: &Board) -> Self {
        match architecture {
            "x86_64" if board.reached_by.contains(&Reach::Local) => Self::X86_64,
            _ => Self::Aarch64,
        }
    }

    /// Rust's name of it.
    #[must_use]
    pub fn triple(self) -> &'static str {
        match self {
            Self::Aarch64 => super::TARGET,
            Self::X86_64 => "x86_64-unknown-linux-gnu",
        }
    }

    /// The C compiler, which is also the linker.
    #[must_use]
    pub fn gcc(self) -> &'static str {
        match self {
            Self::Aarch64 => super::cross::GCC,
            Self::X86_64 => "gcc",
        }
    }

    /// The tool of the same package that rewrites libraries.
    #[must_use]
    pub fn objcopy(self) -> &'static str {
        match self {
            Self::Aarch64 => "aarch64-linux-gnu-objcopy",
            Self::X86_64 => "objcopy",
        }
    }

    /// The Debian packages of the C compiler and of its C library.
    #[must_use]
    pub fn packages(self) -> [&'static str; 2] {
        match self {
            Self::Aarch64 => ["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"],
            Self::X86_64 => ["gcc", "libc6-dev"],
        }
    }

    /// The command that installs the C compiler.
    #[must_use]
    pub fn gcc_install(self) -> &'static str {
        match self {
            Self::Aarch64 => "apt-get install gcc-aarch64-linux-gnu",
            Self::X86_64 => "apt-get install gcc",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_machine_itself_is_built_for_by_its_own_kind() {
        let local = boards::load("local").unwrap();
        let emulated = boards::load("qemu-virt").unwrap();
        assert_eq!(Target::on("x86_64", &local), Target::X86_64);
        assert_eq!(Target::on("aarch64", &local), Target::Aarch64);
        assert_eq!(Target::on("x86_64", &emulated), Target::Aarch64);
    }
}
