/* The clocks of count.h, and a source of randomness that costs what the bench's tape costs: a copy. */
#include <linux/perf_event.h>
#include <oqs/rand.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile struct perf_event_mmap_page *page;
static long iterations = 3;
static long long microseconds;

/* Large enough that no operation sees the same stretch soon again. */
static uint8_t tape[1 << 20];
static size_t drawn;

static void draw(uint8_t *out, size_t size) {
	while (size > 0) {
		size_t rest = sizeof tape - drawn, part = size < rest ? size : rest;
		memcpy(out, tape + drawn, part);
		drawn = (drawn + part) % sizeof tape;
		out += part;
		size -= part;
	}
}

__attribute__((constructor)) static void prepare(void) {
	struct perf_event_attr attribute;
	memset(&attribute, 0, sizeof attribute);
	attribute.size = sizeof attribute;
	attribute.type = PERF_TYPE_HARDWARE;
	attribute.config = PERF_COUNT_HW_CPU_CYCLES;
	attribute.pinned = 1;
	attribute.exclude_kernel = 1;
	attribute.exclude_hv = 1;
	/* 64 bits, readable as a register: as the bench's own. */
	attribute.config1 = 3;
	int file = (int)syscall(SYS_perf_event_open, &attribute, 0, -1, -1, 0);
	page = file < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
	if (page == MAP_FAILED || page->index == 0) {
		fprintf(stderr, "the counter cannot be read as a register\n");
		exit(3);
	}
	const char *wanted = getenv("ITERATIONS");
	if (wanted != NULL && strtol(wanted, NULL, 10) > 0) {
		iterations = strtol(wanted, NULL, 10);
	}
	const char *seed = getenv("SEED");
	uint64_t state = 0x9e3779b97f4a7c15 * (1 + (uint64_t)(seed != NULL ? strtol(seed, NULL, 10) : 0));
	for (size_t i = 0; i < sizeof tape; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		tape[i] = (uint8_t)(state >> 32);
	}
	OQS_randombytes_custom_algorithm(draw);
}

/* Both readings of one iteration are a share of the loop's second apart, so that it ends after the wanted number. */
int pq_bench_gettimeofday(struct timeval *restrict time, void *restrict zone) {
	(void)zone;
	microseconds += (1000000 + iterations - 1) / iterations;
	time->tv_sec = (time_t)(microseconds / 1000000);
	time->tv_usec = (suseconds_t)(microseconds % 1000000);
	return 0;
}

/* Nanoseconds are counts of user code. */
int pq_bench_clock_gettime(clockid_t clock, struct timespec *time) {
	(void)clock;
	uint32_t lock;
	uint64_t count;
	do {
		lock = page->lock;
		__asm__ volatile("isb; mrs %0, pmccntr_el0" : "=r"(count) : : "memory");
		count += (uint64_t)page->offset;
	} while (page->lock != lock);
	time->tv_sec = 0;
	time->tv_nsec = (long)count;
	return 0;
}
