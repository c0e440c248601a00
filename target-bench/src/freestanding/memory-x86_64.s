# memcpy, memmove, memset, memcmp, bcmp with SSE2, which every x86-64 has. In assembly, so that no compiler turns a loop into a call
# of itself. Paths depend on the length alone, never on addresses. The macro `routine` comes from whoever includes this.
.text

routine memmove
  mov rax, rdi
  sub rax, rsi
  cmp rax, rdx
  jb 90f                         # 0 <= destination - source < length: from the end
  mov rax, rdi
  jmp 20f

routine memcpy
  mov rax, rdi
20:
  sub rdx, 64
  jb 2f
9:
  movdqu xmm0, [rsi]
  movdqu xmm1, [rsi + 16]
  movdqu xmm2, [rsi + 32]
  movdqu xmm3, [rsi + 48]
  movdqu [rdi], xmm0
  movdqu [rdi + 16], xmm1
  movdqu [rdi + 32], xmm2
  movdqu [rdi + 48], xmm3
  add rsi, 64
  add rdi, 64
  sub rdx, 64
  jae 9b
2:
  test dl, 32
  jz 3f
  movdqu xmm0, [rsi]
  movdqu xmm1, [rsi + 16]
  movdqu [rdi], xmm0
  movdqu [rdi + 16], xmm1
  add rsi, 32
  add rdi, 32
3:
  test dl, 16
  jz 4f
  movdqu xmm0, [rsi]
  movdqu [rdi], xmm0
  add rsi, 16
  add rdi, 16
4:
  test dl, 8
  jz 5f
  mov rcx, [rsi]
  mov [rdi], rcx
  add rsi, 8
  add rdi, 8
5:
  test dl, 4
  jz 6f
  mov ecx, [rsi]
  mov [rdi], ecx
  add rsi, 4
  add rdi, 4
6:
  test dl, 2
  jz 7f
  movzx ecx, word ptr [rsi]
  mov [rdi], cx
  add rsi, 2
  add rdi, 2
7:
  test dl, 1
  jz 8f
  movzx ecx, byte ptr [rsi]
  mov [rdi], cl
8:
  ret

90:
  mov rax, rdi
  add rsi, rdx
  add rdi, rdx
  sub rdx, 64
  jb 2f
9:
  sub rsi, 64
  sub rdi, 64
  movdqu xmm0, [rsi]
  movdqu xmm1, [rsi + 16]
  movdqu xmm2, [rsi + 32]
  movdqu xmm3, [rsi + 48]
  movdqu [rdi], xmm0
  movdqu [rdi + 16], xmm1
  movdqu [rdi + 32], xmm2
  movdqu [rdi + 48], xmm3
  sub rdx, 64
  jae 9b
2:
  test dl, 32
  jz 3f
  sub rsi, 32
  sub rdi, 32
  movdqu xmm0, [rsi]
  movdqu xmm1, [rsi + 16]
  movdqu [rdi], xmm0
  movdqu [rdi + 16], xmm1
3:
  test dl, 16
  jz 4f
  sub rsi, 16
  sub rdi, 16
  movdqu xmm0, [rsi]
  movdqu [rdi], xmm0
4:
  test dl, 8
  jz 5f
  sub rsi, 8
  sub rdi, 8
  mov rcx, [rsi]
  mov [rdi], rcx
5:
  test dl, 4
  jz 6f
  sub rsi, 4
  sub rdi, 4
  mov ecx, [rsi]
  mov [rdi], ecx
6:
  test dl, 2
  jz 7f
  sub rsi, 2
  sub rdi, 2
  movzx ecx, word ptr [rsi]
  mov [rdi], cx
7:
  test dl, 1
  jz 8f
  movzx ecx, byte ptr [rsi - 1]
  mov [rdi - 1], cl
8:
  ret

routine memset
  mov rax, rdi
  movzx esi, sil
  movabs rcx, 0x0101010101010101
  imul rcx, rsi
  movq xmm0, rcx
  punpcklqdq xmm0, xmm0
  sub rdx, 64
  jb 2f
9:
  movdqu [rdi], xmm0
  movdqu [rdi + 16], xmm0
  movdqu [rdi + 32], xmm0
  movdqu [rdi + 48], xmm0
  add rdi, 64
  sub rdx, 64
  jae 9b
2:
  test dl, 32
  jz 3f
  movdqu [rdi], xmm0
  movdqu [rdi + 16], xmm0
  add rdi, 32
3:
  test dl, 16
  jz 4f
  movdqu [rdi], xmm0
  add rdi, 16
4:
  test dl, 8
  jz 5f
  mov [rdi], rcx
  add rdi, 8
5:
  test dl, 4
  jz 6f
  mov [rdi], ecx
  add rdi, 4
6:
  test dl, 2
  jz 7f
  mov [rdi], cx
  add rdi, 2
7:
  test dl, 1
  jz 8f
  mov [rdi], cl
8:
  ret

routine bcmp
routine memcmp
  sub rdx, 8
  jb 2f
9:
  mov rax, [rdi]
  mov rcx, [rsi]
  cmp rax, rcx
  jne 5f
  add rdi, 8
  add rsi, 8
  sub rdx, 8
  jae 9b
2:
  add rdx, 8
3:
  jz 4f                          # flags of the addition above or the decrement below
  movzx eax, byte ptr [rdi]
  movzx ecx, byte ptr [rsi]
  sub eax, ecx
  jne 6f
  inc rdi
  inc rsi
  dec rdx
  jmp 3b
4:
  xor eax, eax
  ret
5:
  bswap rax                      # the first byte that differs decides
  bswap rcx
  cmp rax, rcx
  sbb eax, eax                   # -1 if below, else 0
  or eax, 1
6:
  ret
