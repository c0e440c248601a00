/* The bench in a runtime of your own: an RTOS, a unikernel, a kernel module.
 *
 * You give bytes in and bytes out; the host program at the other end of them does the rest: it asks which algorithms there are, says
 * what to run and how often, and gets samples. The protocol is in docs/wire.md, the use of this file in docs/boards.md.
 *
 * What the library needs of you:
 * - one thread that calls pq_bench_run and nothing else of the library, with 64 KiB of stack or more; operations run on a stack of the library's own;
 * - about 70 MiB of zeroed memory for its heaps, key pools and that stack (its .bss);
 * - the C library routines that liboqs calls: memcpy memmove memset memcmp strlen strdup strcasecmp malloc calloc free aligned_alloc
 *   posix_memalign explicit_bzero pthread_once getentropy exit abort fprintf fwrite stderr, and on aarch64 getauxval;
 * - on aarch64: floating point and NEON switched on, memory that is cached and allows unaligned access, CNTVCT_EL0 readable.
 *
 * Providers run over YOUR memory routines and allocator: that is the stack `stock`, but for randomness, which is the bench's, so that outputs
 * can be compared with those of every other environment. A fault within an operation is yours to catch.
 */
#ifndef PQ_BENCH_H
#define PQ_BENCH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the runtime gives. Zero what you do not know. */
struct pq_bench_platform {
	/* sizeof(struct pq_bench_platform): tells the library which fields there are. */
	uint32_t size;
	/* Set to 1 if PMCCNTR_EL0 runs and may be read where the library runs (aarch64). It becomes the main clock; else that is the clock of ticks. */
	uint32_t pmccntr_readable;
	/* Handed to every function below. */
	void *context;
	/* Waits for bytes from the host and gives how many it put into buffer: at least one, at most size. */
	size_t (*read)(void *context, uint8_t *buffer, size_t size);
	/* Sends bytes to the host, all of them. */
	void (*write)(void *context, const uint8_t *bytes, size_t size);
	/* Ends the program, with 0 where the host asked for it. It must not return. */
	void (*stop)(void *context, uint8_t status);
	/* Starts afresh: a new Hello has to come. It must not return. May be null: then stop is called with 75. */
	void (*restart)(void *context);
	/* Hertz of the clock of ticks: CNTVCT_EL0, or the time stamp counter on x86-64. 0: not known (on aarch64 CNTFRQ_EL0 is asked). */
	uint64_t ticks_hz;
	/* The CPU's features as AT_HWCAP has them. 0: nothing is used that not every such CPU has, which the host shows as `portable` code. */
	uint64_t features;
	/* Bytes of a page of memory, for the record. */
	uint32_t page_size;
};

/* Says Hello and obeys the host until it says stop. Does not return. */
void pq_bench_run(const struct pq_bench_platform *platform);

#ifdef __cplusplus
}
#endif

#endif
