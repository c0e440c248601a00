//! The timer around one iteration.
//!
//! From the outside in: wait for a tick's edge; total; count; ticks; the operation; ticks; count; total. Ticks are innermost since
//! reading the other two can trap, and a trap would be counted as the operation's. What the readings cost is in every sample and
//! is never subtracted; the `null` provider shows it.
use crate::arch;
use crate::memory::{self, stack};
use crate::platform::{Counters, Source};
use wire::samples::{FLAG_COUNTER, Sample};

struct Job<F> {
    counters: Counters,
    operation: F,
    before: [u64; 3],
    after: [u64; 3],
}

unsafe extern "C" fn timed<F: FnMut()>(job: *mut u8) {
    // SAFETY: `sample` passes a Job of this very type and waits for the return.
    let job = unsafe { &mut *job.cast::<Job<F>>() };
    let Counters { count, total } = job.counters;
    memory::set_in_operation(true);
    arch::wait_for_tick();
    let total_before = total.read();
    let count_before = count.read();
    let ticks_before = arch::ticks();
    (job.operation)();
    let ticks_after = arch::ticks();
    let count_after = count.read();
    let total_after = total.read();
    memory::set_in_operation(false);
    job.before = [total_before, count_before, ticks_before];
    job.after = [total_after, count_after, ticks_after];
}

unsafe extern "C" fn untimed<F: FnMut()>(job: *mut u8) {
    // SAFETY: `run` passes an F and waits for the return.
    let operation = unsafe { &mut *job.cast::<F>() };
    operation();
}

/// Runs `operation` on the operations' stack and counts it. A counter that stood still, went back or wrapped gives zeros and
/// [`FLAG_COUNTER`].
pub fn sample<F: FnMut()>(counters: Counters, operation: F) -> Sample {
    let mut job = Job {
        counters,
        operation,
        before: [0; 3],
        after: [0; 3],
    };
    // SAFETY: nothing else uses that stack, and `timed::<F>` takes a Job<F>.
    unsafe { arch::call_on_stack((&raw mut job).cast(), timed::<F>, stack::top()) };
    let ticks = Source::Ticks.between(job.before[2], job.after[2], 0);
    let between = |source: Source, i: usize| source.between(job.before[i], job.after[i], ticks?);
    let total = between(counters.total, 0);
    let count = between(counters.count, 1);
    match (total, count, ticks) {
        (Some(total), Some(count), Some(ticks)) if count != 0 => {
            let total = if matches!(counters.total, Source::None) {
                count
            } else {
                total
            };
            Sample {
                count,
                total,
                ticks,
                flags: if total < count { FLAG_COUNTER } else { 0 },
            }
        }
        _ => Sample {
            count: 0,
            total: 0,
            ticks: 0,
            flags: FLAG_COUNTER,
        },
    }
}

/// Runs `operation` on the operations' stack without counting: keys and inputs are made the way they are measured.
pub fn run<F: FnMut()>(mut operation: F) {
    // SAFETY: nothing else uses that stack, and `untimed::<F>` takes an F.
    unsafe { arch::call_on_stack((&raw mut operation).cast(), untimed::<F>, stack::top()) };
}
