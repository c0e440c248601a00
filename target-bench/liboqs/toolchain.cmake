# How liboqs is compiled. Read by CMake through CMAKE_TOOLCHAIN_FILE_*, which .cargo/config.toml sets for this build alone: the
# other providers' C code is not built by CMake.
if("$ENV{TARGET}" MATCHES "^aarch64-" AND NOT CMAKE_HOST_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_SYSTEM_PROCESSOR aarch64)
  set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
endif()
# SHELL: keeps the two words together where CMake drops options that occur twice; BIKE has an -include of its own.
add_compile_options("SHELL:-include \"${CMAKE_CURRENT_LIST_DIR}/names.h\"")
# What a kernel leaves of the CPU that saves no vector registers: no vectors, no floating-point unit, and so no AES instructions either. There
# is nothing to choose at run time then.
if("$ENV{PQ_BENCH_LIBOQS}" STREQUAL "general-registers")
  add_compile_options(-mgeneral-regs-only)
  set(OQS_DIST_BUILD OFF CACHE BOOL "" FORCE)
  set(OQS_OPT_TARGET generic CACHE STRING "" FORCE)
endif()
