//! Which system calls the container may make: an allow-list of the kind that container engines apply by default. What is
//! not on it fails with EPERM, as there.
use serde_json::{Value, json};

/// EPERM of Linux.
const NOT_PERMITTED: u32 = 1;
/// ENOSYS of Linux.
const NO_SUCH_CALL: u32 = 38;
/// Flags of `clone` that make a namespace: CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID and NET.
const NEW_NAMESPACES: u64 = 0x7e02_0000;

/// Calls that are allowed whatever their arguments.
fn allowed() -> Vec<&'static str> {
    include_str!("allowed_calls.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(str::split_whitespace)
        .collect()
}

/// The `linux.seccomp` object of an OCI configuration.
#[must_use]
pub fn profile() -> Value {
    let mut rules = vec![json!({ "names": allowed(), "action": "SCMP_ACT_ALLOW" })];
    rules.push(json!({
        "names": ["clone"],
        "action": "SCMP_ACT_ALLOW",
        "args": [{ "index": 0, "value": NEW_NAMESPACES, "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ" }],
    }));
    // Its flags lie in memory, where a filter cannot look; told that it does not exist, C libraries fall back to clone.
    rules.push(json!({
        "names": ["clone3"],
        "action": "SCMP_ACT_ERRNO",
        "errnoRet": NO_SUCH_CALL,
    }));
    json!({
        "defaultAction": "SCMP_ACT_ERRNO",
        "defaultErrnoRet": NOT_PERMITTED,
        "architectures": ["SCMP_ARCH_AARCH64", "SCMP_ARCH_ARM"],
        "syscalls": rules,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn what_leads_out_of_a_container_is_not_allowed() {
        let allowed = allowed();
        let distinct: BTreeSet<&str> = allowed.iter().copied().collect();
        assert_eq!(distinct.len(), allowed.len(), "a call is named twice");
        for call in [
            "add_key",
            "bpf",
            "clock_settime",
            "delete_module",
            "finit_module",
            "init_module",
            "io_uring_setup",
            "kexec_load",
            "keyctl",
            "mount",
            "move_mount",
            "open_by_handle_at",
            "personality",
            "pivot_root",
            "process_vm_readv",
            "ptrace",
            "quotactl",
            "reboot",
            "request_key",
            "setns",
            "settimeofday",
            "swapon",
            "syslog",
            "umount2",
            "unshare",
            "userfaultfd",
            "clone",
        ] {
            assert!(!distinct.contains(call), "{call} is allowed");
        }
        for call in [
            "read",
            "write",
            "openat",
            "mmap",
            "mlock",
            "getrandom",
            "perf_event_open",
            "execve",
            "exit_group",
        ] {
            assert!(distinct.contains(call), "{call} is not allowed");
        }
        assert_eq!(profile()["defaultAction"], "SCMP_ACT_ERRNO");
    }
}
