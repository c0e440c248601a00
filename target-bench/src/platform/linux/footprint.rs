//! What the process takes of memory, as the kernel counts it.
use super::text;
use alloc::ffi::CString;
use alloc::format;
use wire::message::Footprint;

/// `Rss:     1234 kB`, in bytes.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    let number: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(number << 10)
}

/// Most memory of the process's control group (version 2), where that can be seen.
fn group_peak() -> Option<u64> {
    let groups = text(c"/proc/self/cgroup")?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let file = CString::new(format!("/sys/fs/cgroup{path}/memory.peak")).ok()?;
    text(&file)?.parse().ok()
}

/// The process as it is now.
pub fn of_process() -> Footprint {
    let maps = text(c"/proc/self/smaps_rollup").unwrap_or_default();
    let status = text(c"/proc/self/status").unwrap_or_default();
    Footprint {
        resident: kilobytes(&maps, "Rss:").or_else(|| kilobytes(&status, "VmRSS:")),
        proportional: kilobytes(&maps, "Pss:"),
        peak: kilobytes(&status, "VmHWM:"),
        group_peak: group_peak(),
        ..Footprint::default()
    }
}
