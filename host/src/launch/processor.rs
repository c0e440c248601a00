//! The processor that programs are pinned to on the machine itself.
use std::fs;
use std::path::Path;

/// The processor to pin to, where the machine's files lie under `root`: the last that is kept free of other work, else the last that this
/// process may use. The first one is where interrupts go.
#[must_use]
pub fn processor(root: &Path) -> Option<u32> {
    let read = |file: &str| fs::read_to_string(root.join(file)).unwrap_or_default();
    let isolated = last(read("sys/devices/system/cpu/isolated").trim());
    let status = read("proc/self/status");
    let allowed = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    isolated.or_else(|| last(allowed?.trim()))
}

/// The last number of a list such as `0-3,8`.
fn last(list: &str) -> Option<u32> {
    let numbers = list.split([',', '-']).map(str::parse::<u32>);
    numbers.filter_map(Result::ok).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors_are_read() {
        assert_eq!(last("0-3,8"), Some(8));
        assert_eq!(last("5"), Some(5));
        assert_eq!(last(""), None);
    }

    #[test]
    fn an_isolated_processor_is_preferred() {
        let root = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        assert_eq!(processor(root.path()), None);
        write("proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-1,4\n");
        assert_eq!(processor(root.path()), Some(4));
        write("sys/devices/system/cpu/isolated", "2-3\n");
        assert_eq!(processor(root.path()), Some(3));
    }
}
