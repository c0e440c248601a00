// call_on_stack(argument, function, top): x19 keeps the caller's stack pointer across the call.
.section .text.call_on_stack,"ax"
.global call_on_stack
.type call_on_stack, %function
call_on_stack:
  stp x29, x30, [sp, #-32]!
  str x19, [sp, #16]
  mov x29, sp
  mov x19, sp
  mov sp, x2
  blr x1
  mov sp, x19
  ldr x19, [sp, #16]
  ldp x29, x30, [sp], #32
  ret
.size call_on_stack, . - call_on_stack
.text
