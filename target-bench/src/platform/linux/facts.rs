//! What the process found itself in, from /proc and /sys.
use super::{processor, sys, text};
use alloc::ffi::CString;
use alloc::format;
use alloc::string::{String, ToString};
use wire::hello::Surroundings;

const NAMESPACES: [&str; 7] = ["mnt", "pid", "net", "ipc", "uts", "cgroup", "user"];

/// `mnt:[4026531841]`: the number.
fn namespace(name: &str) -> Option<u64> {
    let path = CString::new(format!("/proc/self/ns/{name}")).ok()?;
    let mut buffer = [0u8; 64];
    let link = core::str::from_utf8(sys::read_link(&path, &mut buffer).ok()?).ok()?;
    link.split(['[', ']']).nth(1)?.parse().ok()
}

/// Everything that can be found out.
pub fn surroundings(exception_level: u8, page_size: u32) -> Surroundings {
    let status = text(c"/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        status.lines().find_map(|line| {
            Some(
                line.strip_prefix(name)?
                    .strip_prefix(':')?
                    .trim()
                    .to_string(),
            )
        })
    };
    let kernel = sys::kernel_names().map(|names| {
        let name = |i: usize| {
            String::from_utf8_lossy(&names[i])
                .trim_end_matches('\0')
                .to_string()
        };
        format!("{} {}", name(0), name(2))
    });
    Surroundings {
        exception_level,
        entry_level: exception_level,
        hypervisor: text(c"/sys/hypervisor/type")
            .or_else(|| text(c"/proc/device-tree/hypervisor/compatible"))
            .or_else(processor::hypervisor),
        kernel,
        machine: text(c"/proc/device-tree/model")
            .or_else(|| text(c"/sys/devices/virtual/dmi/id/product_name")),
        namespaces: NAMESPACES
            .iter()
            .filter_map(|name| Some((name.to_string(), namespace(name)?)))
            .collect(),
        cgroup: text(c"/proc/self/cgroup"),
        seccomp: field("Seccomp").and_then(|value| value.parse().ok()),
        capabilities: field("CapEff").and_then(|value| u64::from_str_radix(&value, 16).ok()),
        page_size,
    }
}

/// The kernel's boot id.
pub fn boot() -> Option<[u8; 16]> {
    let id = text(c"/proc/sys/kernel/random/boot_id")?;
    let digits: String = id.chars().filter(char::is_ascii_hexdigit).collect();
    u128::from_str_radix(&digits, 16)
        .ok()
        .map(u128::to_be_bytes)
}
