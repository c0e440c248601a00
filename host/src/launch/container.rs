//! The OCI configuration of the container: what a container engine gives a program by default, plus the link and the counters.
use super::{STACK_BYTES, seccomp};
use crate::model::Stack;
use serde_json::{Value, json};

/// Where the link lies in the container.
pub const LINK: &str = "/dev/link";
/// In place of a port: standard input and output.
pub const PIPES: &str = "-";
/// What the guest's start-up script replaces, quotes included, by the numbers of the port's device: the kernel
/// hands them out at boot.
const MAJOR: &str = "@MAJOR@";
const MINOR: &str = "@MINOR@";

/// What the container has of its own.
const NAMESPACES: [&str; 6] = ["mount", "pid", "network", "ipc", "uts", "cgroup"];

/// What engines give by default, and two more: CAP_PERFMON to open counters, CAP_IPC_LOCK to pin memory.
const CAPABILITIES: [&str; 16] = [
    "CAP_AUDIT_WRITE",
    "CAP_CHOWN",
    "CAP_DAC_OVERRIDE",
    "CAP_FOWNER",
    "CAP_FSETID",
    "CAP_IPC_LOCK",
    "CAP_KILL",
    "CAP_MKNOD",
    "CAP_NET_BIND_SERVICE",
    "CAP_NET_RAW",
    "CAP_PERFMON",
    "CAP_SETFCAP",
    "CAP_SETGID",
    "CAP_SETPCAP",
    "CAP_SETUID",
    "CAP_SYS_CHROOT",
];

/// `config.json` of the bundle, with [`MAJOR`] and [`MINOR`] still to be replaced.
#[must_use]
pub fn config(stack: Stack) -> Value {
    let program = match stack {
        Stack::Shared => "/bench/linux",
        Stack::Stock => "/bench/stock",
    };
    json!({
        "ociVersion": "1.0.2",
        "hostname": "bench",
        "root": { "path": "/bench/rootfs", "readonly": true },
        "process": {
            "terminal": false,
            "user": { "uid": 0, "gid": 0 },
            "cwd": "/",
            "env": ["PATH=/bench"],
            "args": [program, LINK],
            "noNewPrivileges": true,
            "capabilities": {
                "bounding": CAPABILITIES,
                "effective": CAPABILITIES,
                "permitted": CAPABILITIES,
            },
            "rlimits": [
                { "type": "RLIMIT_MEMLOCK", "soft": u64::MAX, "hard": u64::MAX },
                { "type": "RLIMIT_STACK", "soft": STACK_BYTES, "hard": STACK_BYTES },
            ],
        },
        "mounts": mounts(stack),
        "linux": {
            "cgroupsPath": "/bench",
            "namespaces": NAMESPACES.map(|kind| json!({ "type": kind })),
            "devices": [{
                "path": LINK, "type": "c", "major": MAJOR, "minor": MINOR, "fileMode": 0o600, "uid": 0, "gid": 0,
            }],
            "resources": {
                "devices": [
                    { "allow": false, "access": "rwm" },
                    { "allow": true, "type": "c", "major": MAJOR, "minor": MINOR, "access": "rw" },
                ],
                "pids": { "limit": 512 },
            },
            "maskedPaths": [
                "/proc/acpi", "/proc/asound", "/proc/interrupts", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/sched_debug",
                "/proc/scsi", "/proc/timer_list", "/proc/timer_stats", "/sys/firmware",
            ],
            "readonlyPaths": ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"],
            "seccomp": seccomp::profile(),
        },
    })
}

/// `config.json` of a bundle called `name` for the runtime of this machine: the link is standard input and output, and the program has the
/// processor `cpu`.
#[must_use]
pub fn on_pipes(name: &str, cpu: Option<u32>) -> Value {
    let mut config = config(Stack::Shared);
    config["process"]["args"][1] = PIPES.into();
    // Those that a process of this machine has: to raise them takes a privilege, and the native program has no others.
    config["process"]["rlimits"] = json!([]);
    config["root"]["path"] = "rootfs".into();
    let linux = &mut config["linux"];
    linux["cgroupsPath"] = format!("/{name}").into();
    linux["devices"] = json!([]);
    linux["resources"]["devices"] = json!([{ "allow": false, "access": "rwm" }]);
    if let Some(cpu) = cpu {
        linux["resources"]["cpu"] = json!({ "cpus": cpu.to_string() });
    }
    if cfg!(target_arch = "x86_64") {
        linux["seccomp"]["architectures"] = json!(["SCMP_ARCH_X86_64"]);
        // How a program says there where its own thread's variables lie.
        if let Some(rules) = linux["seccomp"]["syscalls"].as_array_mut() {
            rules.push(json!({ "names": ["arch_prctl"], "action": "SCMP_ACT_ALLOW" }));
        }
    }
    config
}

fn mounts(stack: Stack) -> Value {
    let mount = |kind: &str, place: &str, options: &[&str]| json!({ "type": kind, "source": kind, "destination": place, "options": options });
    let mut mounts = vec![
        mount("proc", "/proc", &["nosuid", "noexec", "nodev"]),
        mount(
            "tmpfs",
            "/dev",
            &["nosuid", "strictatime", "mode=755", "size=65536k"],
        ),
        mount(
            "devpts",
            "/dev/pts",
            &[
                "nosuid",
                "noexec",
                "newinstance",
                "ptmxmode=0666",
                "mode=0620",
            ],
        ),
        mount(
            "tmpfs",
            "/dev/shm",
            &["nosuid", "noexec", "nodev", "mode=1777", "size=65536k"],
        ),
        mount("mqueue", "/dev/mqueue", &["nosuid", "noexec", "nodev"]),
        mount("sysfs", "/sys", &["nosuid", "noexec", "nodev", "ro"]),
        mount(
            "cgroup",
            "/sys/fs/cgroup",
            &["nosuid", "noexec", "nodev", "relatime", "ro"],
        ),
    ];
    if stack == Stack::Stock {
        // The C library that native programs have: an image would hold the same files.
        mounts.push(json!({
            "type": "bind", "source": "/lib", "destination": "/lib",
            "options": ["bind", "ro", "nosuid", "nodev"],
        }));
    }
    Value::Array(mounts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_container_is_shut_in() {
        let config = config(Stack::Stock);
        let spaces: Vec<&str> = config["linux"]["namespaces"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|space| space["type"].as_str())
            .collect();
        assert_eq!(spaces, ["mount", "pid", "network", "ipc", "uts", "cgroup"]);
        assert_eq!(config["root"]["readonly"], true);
        assert_eq!(config["process"]["noNewPrivileges"], true);
        assert_eq!(config["linux"]["resources"]["devices"][0]["allow"], false);
        assert!(!CAPABILITIES.contains(&"CAP_SYS_ADMIN"));
    }

    #[test]
    fn on_pipes_there_is_no_device_and_one_processor() {
        let config = on_pipes("a-name", Some(3));
        assert_eq!(config["process"]["args"], json!(["/bench/linux", "-"]));
        assert_eq!(config["linux"]["resources"]["cpu"]["cpus"], "3");
        let text = config.to_string();
        assert!(!text.contains(MAJOR) && !text.contains(LINK), "{text}");
    }
}
