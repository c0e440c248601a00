//! Critical sections of a program with one thread.

/// One thread and no interrupts: every section is critical.
struct OneThread;
critical_section::set_impl!(OneThread);
// SAFETY: nothing can run in between.
unsafe impl critical_section::Impl for OneThread {
    unsafe fn acquire() -> critical_section::RawRestoreState {}
    unsafe fn release(_: critical_section::RawRestoreState) {}
}
