//! Archives as the Linux kernel unpacks them into its first root file system: cpio, format "newc" (kernel documentation,
//! driver-api/early-userspace/buffer-format). Uncompressed, as an emulated board is slow at unzipping; owner root, time 0, so that equal
//! content gives equal bytes. An archive may follow another: the kernel unpacks both, and the later file wins.
use std::collections::BTreeSet;
use std::io::{self, Write};

const DIRECTORY: u32 = 0o040_000;
const FILE: u32 = 0o100_000;
const SYMLINK: u32 = 0o120_000;
/// The kernel pads archives to this; the next one starts there.
const BLOCK: usize = 512;

/// Writes an archive entry by entry. Parents are made when first needed, with mode 0755.
#[derive(Debug)]
pub struct Archive<W> {
    out: W,
    written: usize,
    inode: u32,
    directories: BTreeSet<String>,
}

impl<W: Write> Archive<W> {
    /// An empty archive, written to `out`.
    pub fn new(out: W) -> Self {
        Self {
            out,
            written: 0,
            inode: 0,
            directories: BTreeSet::new(),
        }
    }

    /// A directory, and those above it. `path` has no leading slash.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn directory(&mut self, path: &str) -> io::Result<()> {
        if path.is_empty() || self.directories.contains(path) {
            return Ok(());
        }
        self.parents(path)?;
        self.directories.insert(path.to_owned());
        self.entry(path, DIRECTORY | 0o755, &[])
    }

    /// A file with permission bits `mode`.
    ///
    /// # Errors
    /// Those of the writer, and a file of 4 GiB or more.
    pub fn file(&mut self, path: &str, mode: u32, content: &[u8]) -> io::Result<()> {
        self.parents(path)?;
        self.entry(path, FILE | mode, content)
    }

    /// A symbolic link.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn symlink(&mut self, path: &str, target: &str) -> io::Result<()> {
        self.parents(path)?;
        self.entry(path, SYMLINK | 0o777, target.as_bytes())
    }

    /// Writes the trailer, pads to a whole block and gives the writer back.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.inode = 0;
        self.header("TRAILER!!!", 0, 0, 0)?;
        self.pad(BLOCK)?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn parents(&mut self, path: &str) -> io::Result<()> {
        match path.rsplit_once('/') {
            Some((parent, _)) => self.directory(parent),
            None => Ok(()),
        }
    }

    fn entry(&mut self, path: &str, mode: u32, content: &[u8]) -> io::Result<()> {
        let size = u32::try_from(content.len()).map_err(|_| {
            let message = format!("{path} is too large for a cpio archive: {}", content.len());
            io::Error::new(io::ErrorKind::FileTooLarge, message)
        })?;
        self.inode += 1;
        self.header(path, self.inode, mode, size)?;
        self.write(content)?;
        self.pad(4)
    }

    fn header(&mut self, path: &str, inode: u32, mode: u32, size: u32) -> io::Result<()> {
        let links = if mode & DIRECTORY == DIRECTORY { 2 } else { 1 };
        // With its terminating 0.
        let name_size = path.len() + 1;
        // inode, mode, uid, gid, links, time, size, device and special device (major, minor), name size, check sum.
        let header = format!(
            "070701{inode:08x}{mode:08x}{0:08x}{0:08x}{links:08x}{0:08x}{size:08x}{0:08x}{0:08x}{0:08x}{0:08x}{name_size:08x}{0:08x}",
            0
        );
        self.write(header.as_bytes())?;
        self.write(path.as_bytes())?;
        self.write(&[0])?;
        self.pad(4)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.written += bytes.len();
        self.out.write_all(bytes)
    }

    fn pad(&mut self, to: usize) -> io::Result<()> {
        let missing = self.written.next_multiple_of(to) - self.written;
        self.write(&[0; BLOCK][..missing])
    }
}

/// Path, mode and content of every entry, read as the format says.
#[cfg(test)]
pub(crate) fn entries(mut bytes: &[u8]) -> Vec<(String, u32, Vec<u8>)> {
    let mut entries = Vec::new();
    loop {
        let number = |field: usize| {
            let from = 6 + 8 * field;
            let text = std::str::from_utf8(&bytes[from..from + 8]).unwrap();
            u32::from_str_radix(text, 16).unwrap()
        };
        assert!(bytes.starts_with(b"070701"));
        let (mode, size, name_size) = (number(1), number(6) as usize, number(11) as usize);
        let path = String::from_utf8(bytes[110..109 + name_size].to_vec()).unwrap();
        if path == "TRAILER!!!" {
            return entries;
        }
        let content = (110 + name_size).next_multiple_of(4);
        entries.push((path, mode, bytes[content..content + size].to_vec()));
        bytes = &bytes[(content + size).next_multiple_of(4)..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::process::{Command, Stdio};

    fn sample() -> Vec<u8> {
        let mut archive = Archive::new(Vec::new());
        archive.file("a/b/one", 0o755, b"12345").unwrap();
        archive.symlink("a/two", "b/one").unwrap();
        archive.file("a/b/empty", 0o644, b"").unwrap();
        archive.finish().unwrap()
    }

    #[test]
    fn equal_content_gives_equal_bytes_in_whole_blocks() {
        assert_eq!(sample(), sample());
        assert_eq!(sample().len() % BLOCK, 0);
    }

    #[test]
    fn the_bytes_are_those_of_the_format() {
        let mut archive = Archive::new(Vec::new());
        archive.file("f", 0o644, b"hi").unwrap();
        let bytes = archive.finish().unwrap();
        let first = "070701".to_owned()
            + "00000001"
            + "000081a4"
            + "0000000000000000"
            + "00000001"
            + "00000000"
            + "00000002"
            + "00000000000000000000000000000000"
            + "00000002"
            + "00000000"
            + "f\0"
            + "hi\0\0";
        assert_eq!(&bytes[..first.len()], first.as_bytes());
        assert!(bytes[first.len()..].starts_with(b"070701"));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            name in "[a-z]{1,9}(/[a-z.]{1,9}){0,3}",
            mode in 0_u32..0o1000,
            content in proptest::collection::vec(any::<u8>(), 0..99),
        ) {
            let mut archive = Archive::new(Vec::new());
            archive.file(&name, mode, &content)?;
            let bytes = archive.finish()?;
            prop_assert_eq!(bytes.len() % BLOCK, 0);
            let entries = entries(&bytes);
            prop_assert_eq!(entries.len(), 1 + name.matches('/').count());
            prop_assert_eq!(entries.last(), Some(&(name, FILE | mode, content)));
        }
    }

    /// The other side of the contract, where it is installed.
    #[test]
    fn cpio_reads_it() {
        let Ok(mut child) = Command::new("cpio")
            .args(["-t", "--quiet"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
        else {
            return;
        };
        child.stdin.take().unwrap().write_all(&sample()).unwrap();
        let listed = child.wait_with_output().unwrap();
        assert!(listed.status.success());
        assert_eq!(
            String::from_utf8(listed.stdout).unwrap(),
            "a\na/b\na/b/one\na/two\na/b/empty\n"
        );
    }
}
