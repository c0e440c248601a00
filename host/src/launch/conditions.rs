//! What a Linux machine is like at the moment, read from its files. A file that is not there is a thing that cannot be known.
use crate::model::Conditions;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The conditions of the machine whose files lie under `root`, as a program sees them that is pinned to `processor` and runs as `process`.
/// Invocation, instant and whether it is the beginning are for the caller to fill in.
#[must_use]
pub fn conditions(root: &Path, processor: Option<u32>, process: Option<u32>) -> Conditions {
    // Unpinned, the first processor speaks for all.
    let number = processor.unwrap_or(0);
    let cpu = root.join(format!("sys/devices/system/cpu/cpu{number}"));
    let in_process = |file: &str| process.map(|id| root.join(format!("proc/{id}/{file}")));
    Conditions {
        processor,
        governor: text(&cpu.join("cpufreq/scaling_governor")),
        kilohertz: number_in(&cpu.join("cpufreq/scaling_cur_freq")),
        millidegrees: hottest(root),
        cooling: cooling(root),
        throttled: throttled(&cpu.join("thermal_throttle")),
        firmware: firmware(root),
        steal: fs::read_to_string(root.join("proc/stat"))
            .ok()
            .and_then(|stat| steal(&stat, processor)),
        waited_ns: in_process("schedstat").and_then(|file| word(&file, 1)),
        guest_exits: number_in(&root.join("sys/kernel/debug/kvm/exits")),
        ..Conditions::default()
    }
}

fn text(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

fn number_in<T: FromStr>(path: &Path) -> Option<T> {
    word(path, 0)
}

fn word<T: FromStr>(path: &Path, at: usize) -> Option<T> {
    text(path)?.split_whitespace().nth(at)?.parse().ok()
}

/// Entries of a folder whose names begin like that.
fn entries(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let is_one = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with(prefix))
    };
    entries
        .flatten()
        .map(|entry| entry.path())
        .filter(is_one)
        .collect()
}

/// The hottest thermal zone, thousandths of a degree Celsius.
fn hottest(root: &Path) -> Option<i64> {
    let zones = entries(&root.join("sys/class/thermal"), "thermal_zone");
    let degrees = zones
        .iter()
        .filter_map(|zone| number_in(&zone.join("temp")));
    degrees.max()
}

/// How far the kernel holds processors back so that they cool: the largest state of any device that does that. A fan is none.
fn cooling(root: &Path) -> Option<u64> {
    let devices = entries(&root.join("sys/class/thermal"), "cooling_device");
    let slows = |device: &&PathBuf| {
        text(&device.join("type")).is_some_and(|kind| {
            ["cpufreq", "thermal-cpufreq", "Processor", "cpu-idle"]
                .iter()
                .any(|slow| kind.to_lowercase().starts_with(&slow.to_lowercase()))
        })
    };
    let states = devices.iter().filter(slows);
    states
        .filter_map(|device| number_in(&device.join("cur_state")))
        .max()
}

/// How often an x86 processor or its package was throttled since the machine was started.
fn throttled(folder: &Path) -> Option<u64> {
    let counts = ["core_throttle_count", "package_throttle_count"];
    let known = counts.map(|file| number_in::<u64>(&folder.join(file)));
    known.into_iter().flatten().reduce(u64::saturating_add)
}

/// What a Raspberry Pi's firmware says of throttling, a set of bits in hexadecimal.
fn firmware(root: &Path) -> Option<u32> {
    let file = "sys/devices/platform/soc/soc:firmware/get_throttled";
    let text = text(&root.join(file))?;
    u32::from_str_radix(text.trim_start_matches("0x"), 16).ok()
}

/// Hundredths of a second that a hypervisor gave to others: the eighth number of the processor's line in /proc/stat, or of all together.
fn steal(stat: &str, processor: Option<u32>) -> Option<u64> {
    let name = processor.map_or_else(|| "cpu".to_owned(), |number| format!("cpu{number}"));
    let line = stat
        .lines()
        .find(|line| line.split(' ').next() == Some(&name))?;
    line.split_whitespace().nth(8)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of files in which `files` are.
    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn a_machine_that_tells_nothing_has_no_conditions() {
        let root = tree(&[]);
        let found = conditions(root.path(), Some(1), Some(42));
        let nothing = Conditions {
            processor: Some(1),
            ..Conditions::default()
        };
        assert_eq!(found, nothing);
    }

    #[test]
    fn what_a_raspberry_pi_tells_is_read() {
        let root = tree(&[
            (
                "sys/devices/system/cpu/cpu3/cpufreq/scaling_governor",
                "ondemand\n",
            ),
            (
                "sys/devices/system/cpu/cpu3/cpufreq/scaling_cur_freq",
                "1500000\n",
            ),
            ("sys/class/thermal/thermal_zone0/temp", "61835\n"),
            ("sys/class/thermal/cooling_device0/type", "gpio-fan\n"),
            ("sys/class/thermal/cooling_device0/cur_state", "4\n"),
            ("sys/class/thermal/cooling_device1/type", "cpufreq-cpu0\n"),
            ("sys/class/thermal/cooling_device1/cur_state", "2\n"),
            (
                "sys/devices/platform/soc/soc:firmware/get_throttled",
                "50005\n",
            ),
            (
                "proc/stat",
                "cpu  1 2 3 4 5 6 7 80 0 0\ncpu3 1 2 3 4 5 6 7 8 0 0\nintr 5\n",
            ),
            ("proc/42/schedstat", "1000 250 7\n"),
            ("sys/kernel/debug/kvm/exits", "12\n"),
        ]);
        let found = conditions(root.path(), Some(3), Some(42));
        let expected = Conditions {
            processor: Some(3),
            governor: Some("ondemand".to_owned()),
            kilohertz: Some(1_500_000),
            millidegrees: Some(61_835),
            cooling: Some(2),
            firmware: Some(0x5_0005),
            steal: Some(8),
            waited_ns: Some(250),
            guest_exits: Some(12),
            ..Conditions::default()
        };
        assert_eq!(found, expected);
        assert_eq!(conditions(root.path(), None, None).steal, Some(80));
    }

    #[test]
    fn what_a_desk_machine_tells_is_read() {
        let folder = "sys/devices/system/cpu/cpu0/thermal_throttle";
        let [core, package] = ["core", "package"].map(|w| format!("{folder}/{w}_throttle_count"));
        let root = tree(&[
            (core.as_str(), "3\n"),
            (package.as_str(), "4\n"),
            ("sys/class/thermal/thermal_zone0/temp", "40000\n"),
            ("sys/class/thermal/thermal_zone1/temp", "71000\n"),
            ("sys/class/thermal/thermal_zone2/temp", "none\n"),
        ]);
        let found = conditions(root.path(), Some(0), None);
        assert_eq!(
            (found.throttled, found.millidegrees),
            (Some(7), Some(71_000))
        );
    }
}
