//! Which Linux this is.
use std::fmt;
use std::path::Path;

/// What os-release says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution {
    /// `ID`, e.g. `debian`.
    pub id: String,
    /// `VERSION_ID`, e.g. `12`.
    pub version: String,
    /// `PRETTY_NAME`.
    pub name: String,
}

impl Distribution {
    /// Reads os-release; all parts are empty if there is none.
    #[must_use]
    pub fn of_this_machine() -> Self {
        let text = ["/etc/os-release", "/usr/lib/os-release"]
            .iter()
            .find_map(|file| std::fs::read_to_string(Path::new(file)).ok());
        Self::parse(&text.unwrap_or_default())
    }

    /// Takes os-release apart.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let value = |key: &str| {
            text.lines()
                .find_map(|line| line.trim().strip_prefix(key)?.strip_prefix('='))
                .map(|value| value.trim_matches(['"', '\'']).to_owned())
                .unwrap_or_default()
        };
        Self {
            id: value("ID"),
            version: value("VERSION_ID"),
            name: value("PRETTY_NAME"),
        }
    }

    /// Whether set-up can install packages here.
    #[must_use]
    pub fn supported(&self) -> bool {
        self.id == "debian" && matches!(self.version.as_str(), "12" | "13")
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.name.is_empty() {
            "an unknown system"
        } else {
            &self.name
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn os_release_is_read() {
        let text = "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_ID=\"12\"\nID=debian\n";
        let debian = Distribution::parse(text);
        assert!(debian.supported());
        assert_eq!(debian.to_string(), "Debian GNU/Linux 12 (bookworm)");
        assert!(Distribution::parse("ID=debian\nVERSION_ID=13").supported());
        assert!(!Distribution::parse("ID=debian\nVERSION_ID=11").supported());
        assert!(!Distribution::parse("ID=ubuntu\nVERSION_ID=12").supported());
        assert_eq!(Distribution::parse("").to_string(), "an unknown system");
    }
}
