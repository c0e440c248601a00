// Entry of the stand-in kernel: the header by which QEMU takes an arm64 Linux image, then EL1 with floating point on, and the way in and out
// of system calls.
.section .text.head, "ax"
.global head
head:
  b start
  .long 0
  .quad 0x80000                  // offset from the start of memory
  .quad end - head               // bytes in memory
  .quad 0xa                      // little endian, pages of 4 KiB, anywhere
  .quad 0, 0, 0
  .ascii "ARM\x64"
  .long 0

start:
  mov x19, x0                    // the device tree
  mov x0, #(3 << 20)
  msr cpacr_el1, x0              // floating point and SIMD on
  adr x0, vectors
  msr vbar_el1, x0
  isb
  adrp x0, kernel_stack_top
  mov sp, x0
  adrp x1, bss_start
  adrp x2, end
1:
  cmp x1, x2
  b.hs 2f
  stp xzr, xzr, [x1], #16
  b 1b
2:
  mov x0, x19
  bl kernel_main
  b .

// enter(entry, stack): the program runs at EL1 as the kernel does.
.global enter
enter:
  mov x9, x0
  mov sp, x1
  br x9

.balign 2048
vectors:
.rept 16
  b exception
  .balign 128
.endr

exception:
  sub sp, sp, #272
  stp x0, x1, [sp]
  stp x2, x3, [sp, #16]
  stp x4, x5, [sp, #32]
  stp x6, x7, [sp, #48]
  stp x8, x9, [sp, #64]
  stp x10, x11, [sp, #80]
  stp x12, x13, [sp, #96]
  stp x14, x15, [sp, #112]
  stp x16, x17, [sp, #128]
  stp x18, x30, [sp, #144]
  mrs x9, elr_el1
  mrs x10, spsr_el1
  stp x9, x10, [sp, #160]
  mov x0, sp
  mrs x1, esr_el1
  mrs x2, far_el1
  bl system_call
  str x0, [sp]
  ldp x9, x10, [sp, #160]
  msr elr_el1, x9
  msr spsr_el1, x10
  ldp x18, x30, [sp, #144]
  ldp x16, x17, [sp, #128]
  ldp x14, x15, [sp, #112]
  ldp x12, x13, [sp, #96]
  ldp x10, x11, [sp, #80]
  ldp x8, x9, [sp, #64]
  ldp x6, x7, [sp, #48]
  ldp x4, x5, [sp, #32]
  ldp x2, x3, [sp, #16]
  ldp x0, x1, [sp]
  add sp, sp, #272
  eret
