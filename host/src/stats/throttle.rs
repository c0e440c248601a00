//! Whether a machine was throttled while something was measured on it. Pure.
use crate::model::Conditions;

/// Of a Raspberry Pi's firmware, what is so now (bits 0 to 3) and what has been so since the machine was started (bits 16 to 19): supply
/// voltage too low, frequency capped, throttled, soft limit of temperature. Raspberry Pi documentation, `vcgencmd get_throttled`.
const FIRMWARE: [&str; 4] = [
    "the supply voltage is too low",
    "the frequency is capped",
    "the processor is throttled",
    "the soft limit of temperature is reached",
];
/// From a bit of the present to that of the past.
const SINCE_START: u32 = 16;

/// Why a measurement between the two is void, if it is. What has been so before it began, and is over, does it no harm.
#[must_use]
pub fn throttled(before: &Conditions, after: &Conditions) -> Option<String> {
    if let (Some(first), Some(last)) = (before.throttled, after.throttled)
        && last > first
    {
        return Some(format!(
            "the processor was throttled {} times",
            last - first
        ));
    }
    let states = [before.cooling, after.cooling];
    if let Some(state) = states.into_iter().flatten().max().filter(|s| *s > 0) {
        return Some(format!(
            "the kernel holds the processor back to cool it, by state {state}"
        ));
    }
    let [first, last] = [before, after].map(|c| c.firmware.unwrap_or(0));
    // A mark of the past that was not there before was set meanwhile, if it is known what was there.
    let set = match before.firmware {
        Some(_) => (last & !first) >> SINCE_START,
        None => 0,
    };
    let seen = first | last | set;
    let names = FIRMWARE.iter().enumerate();
    let names: Vec<&str> = names
        .filter(|(bit, _)| seen & 1 << bit != 0)
        .map(|(_, name)| *name)
        .collect();
    (!names.is_empty()).then(|| format!("the firmware says that {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn firmware(bits: u32) -> Conditions {
        Conditions {
            firmware: Some(bits),
            ..Conditions::default()
        }
    }

    #[test]
    fn a_machine_that_tells_nothing_is_not_throttled() {
        let unknown = Conditions::default();
        assert_eq!(throttled(&unknown, &unknown), None);
        // Whether that was before is not known.
        assert_eq!(throttled(&unknown, &firmware(0x4_0000)), None);
        assert!(throttled(&unknown, &firmware(0x4)).is_some());
    }

    #[test]
    fn a_counter_that_goes_up_is_throttling() {
        let of = |count| Conditions {
            throttled: Some(count),
            ..Conditions::default()
        };
        assert_eq!(throttled(&of(3), &of(3)), None);
        let reason = throttled(&of(3), &of(5)).unwrap();
        assert!(reason.contains("2 times"), "{reason}");
        // Another boot began at 0.
        assert_eq!(throttled(&of(3), &of(0)), None);
    }

    #[test]
    fn the_firmware_marks_what_was_over_before_it_was_asked_again() {
        assert_eq!(throttled(&firmware(0xf_0000), &firmware(0xf_0000)), None);
        let reason = throttled(&firmware(0), &firmware(0x2_0000)).unwrap();
        assert!(reason.ends_with("the frequency is capped"), "{reason}");
        let reason = throttled(&firmware(0x5), &firmware(0)).unwrap();
        assert!(
            reason.contains("voltage") && reason.contains("throttled"),
            "{reason}"
        );
    }

    #[test]
    fn a_processor_that_is_cooled_is_throttled_and_a_cool_one_is_not() {
        let of = |state| Conditions {
            cooling: Some(state),
            ..Conditions::default()
        };
        assert_eq!(throttled(&of(0), &of(0)), None);
        assert!(throttled(&of(1), &of(0)).is_some());
        assert!(throttled(&of(0), &of(2)).is_some());
    }
}
