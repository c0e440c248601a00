# call_on_stack(argument, function, top): rbp keeps the caller's stack pointer across the call.
.section .text.call_on_stack,"ax"
.global call_on_stack
.type call_on_stack, @function
call_on_stack:
  push rbp
  mov rbp, rsp
  mov rsp, rdx
  call rsi
  mov rsp, rbp
  pop rbp
  ret
.size call_on_stack, . - call_on_stack
.text
