// memcpy, memmove, memset, memcmp, bcmp, the same in every environment. In assembly, so that no compiler turns a loop into a
// call of itself. Costs depend on the length alone, never on addresses: layouts differ between environments.
.text

.macro function name
  .global \name
  .type \name, %function
  .balign 16
\name:
.endm

function memmove
  sub x3, x0, x1
  cmp x3, x2
  b.lo backward                  // 0 <= destination - source < length: from the end
  b memcpy

function memcpy
  mov x3, x0
  subs x2, x2, #64
  b.lo 2f
1:
  ldp q0, q1, [x1], #32
  ldp q2, q3, [x1], #32
  stp q0, q1, [x3], #32
  stp q2, q3, [x3], #32
  subs x2, x2, #64
  b.hs 1b
2:
  tbz x2, #5, 3f
  ldp q0, q1, [x1], #32
  stp q0, q1, [x3], #32
3:
  tbz x2, #4, 4f
  ldr q0, [x1], #16
  str q0, [x3], #16
4:
  tbz x2, #3, 5f
  ldr x4, [x1], #8
  str x4, [x3], #8
5:
  tbz x2, #2, 6f
  ldr w4, [x1], #4
  str w4, [x3], #4
6:
  tbz x2, #1, 7f
  ldrh w4, [x1], #2
  strh w4, [x3], #2
7:
  tbz x2, #0, 8f
  ldrb w4, [x1]
  strb w4, [x3]
8:
  ret
.size memcpy, . - memcpy

backward:
  add x1, x1, x2
  add x3, x0, x2
  subs x2, x2, #64
  b.lo 2f
1:
  ldp q0, q1, [x1, #-32]!
  ldp q2, q3, [x1, #-32]!
  stp q0, q1, [x3, #-32]!
  stp q2, q3, [x3, #-32]!
  subs x2, x2, #64
  b.hs 1b
2:
  tbz x2, #5, 3f
  ldp q0, q1, [x1, #-32]!
  stp q0, q1, [x3, #-32]!
3:
  tbz x2, #4, 4f
  ldr q0, [x1, #-16]!
  str q0, [x3, #-16]!
4:
  tbz x2, #3, 5f
  ldr x4, [x1, #-8]!
  str x4, [x3, #-8]!
5:
  tbz x2, #2, 6f
  ldr w4, [x1, #-4]!
  str w4, [x3, #-4]!
6:
  tbz x2, #1, 7f
  ldrh w4, [x1, #-2]!
  strh w4, [x3, #-2]!
7:
  tbz x2, #0, 8f
  ldrb w4, [x1, #-1]
  strb w4, [x3, #-1]
8:
  ret
.size memmove, . - memmove

function memset
  dup v0.16b, w1
  mov x3, x0
  subs x2, x2, #64
  b.lo 2f
1:
  stp q0, q0, [x3], #32
  stp q0, q0, [x3], #32
  subs x2, x2, #64
  b.hs 1b
2:
  tbz x2, #5, 3f
  stp q0, q0, [x3], #32
3:
  tbz x2, #4, 4f
  str q0, [x3], #16
4:
  tbz x2, #3, 5f
  str d0, [x3], #8
5:
  tbz x2, #2, 6f
  str s0, [x3], #4
6:
  tbz x2, #1, 7f
  str h0, [x3], #2
7:
  tbz x2, #0, 8f
  str b0, [x3]
8:
  ret
.size memset, . - memset

function bcmp
function memcmp
  subs x2, x2, #8
  b.lo 2f
1:
  ldr x3, [x0], #8
  ldr x4, [x1], #8
  cmp x3, x4
  b.ne 5f
  subs x2, x2, #8
  b.hs 1b
2:
  add x2, x2, #8
3:
  cbz x2, 4f
  ldrb w3, [x0], #1
  ldrb w4, [x1], #1
  sub x2, x2, #1
  subs w3, w3, w4
  b.eq 3b
  mov w0, w3
  ret
4:
  mov w0, #0
  ret
5:
  rev x3, x3                     // the first byte that differs decides
  rev x4, x4
  cmp x3, x4
  mov w0, #1
  cneg w0, w0, lo
  ret
.size memcmp, . - memcmp
