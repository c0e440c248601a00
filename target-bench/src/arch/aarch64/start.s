// Entry at EL2 or EL1, MMU off, on any core.
.section .text.boot,"ax"
.global _start
_start:
  mrs x0, mpidr_el1
  and x0, x0, #0xff
  cbnz x0, 9f                    // one core works, the others sleep
  mrs x20, CurrentEL
  lsr x20, x20, #2
  cmp x20, #2
  b.ne 1f

  mov x0, #(1 << 31)             // EL1 is AArch64
  msr hcr_el2, x0
  mov x0, #3                     // EL1 may read the physical counter and timer
  msr cnthctl_el2, x0
  msr cntvoff_el2, xzr
  mov x0, #0x33ff                // no trap of floating point
  msr cptr_el2, x0
  msr hstr_el2, xzr
  mrs x0, pmcr_el0
  ubfx x0, x0, #11, #5
  msr mdcr_el2, x0               // every PMU counter belongs to EL1, nothing trapped
  mrs x0, midr_el1
  msr vpidr_el2, x0
  mrs x0, mpidr_el1
  msr vmpidr_el2, x0
  ldr x0, =0x30d00800            // SCTLR_EL1: reserved bits one, everything off
  msr sctlr_el1, x0
  mov x0, #0x3c5                 // to EL1h, all interrupts masked
  msr spsr_el2, x0
  adr x0, 1f
  msr elr_el2, x0
  eret

1:
  mov x0, #(3 << 20)             // floating point and SIMD on
  msr cpacr_el1, x0
  adrp x0, bare_vectors
  add x0, x0, :lo12:bare_vectors
  msr vbar_el1, x0
  isb
  msr spsel, #1
  ldr x0, =__exception_stack_top
  mov sp, x0
  msr spsel, #0
  ldr x0, =__stack_top
  mov sp, x0
  ldr x0, =__bss_start
  ldr x1, =__bss_end
2:
  cmp x0, x1
  b.hs 3f
  stp xzr, xzr, [x0], #16
  b 2b
3:
  mov x0, x20
  bl bare_main
9:
  wfi                            // as in cores.rs, and for the reason given there
  b 9b

// Every exception is fatal here: whatever stack was in use, SP_EL1 is good.
.section .text.vectors,"ax"
.balign 2048
.global bare_vectors
bare_vectors:
.rept 16
  mrs x0, esr_el1
  mrs x1, elr_el1
  mrs x2, far_el1
  b bare_exception
  .balign 128
.endr
.text
