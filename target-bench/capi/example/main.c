/* The smallest carrier: a process whose link is standard input and output.
 *
 *     cc -O2 -I target-bench/capi main.c libpq_bench.a -lm -lpthread -ldl -o carrier
 */
#include "pq_bench.h"
#include <stdlib.h>
#include <unistd.h>
#ifdef __aarch64__
#include <sys/auxv.h>
#endif

static size_t take(void *context, uint8_t *buffer, size_t size) {
	(void)context;
	ssize_t got = read(STDIN_FILENO, buffer, size);
	return got > 0 ? (size_t)got : 0;
}

static void give(void *context, const uint8_t *bytes, size_t size) {
	(void)context;
	while (size > 0) {
		ssize_t sent = write(STDOUT_FILENO, bytes, size);
		if (sent <= 0) {
			_exit(1);
		}
		bytes += sent;
		size -= (size_t)sent;
	}
}

static void stop(void *context, uint8_t status) {
	(void)context;
	_exit(status);
}

int main(void) {
	struct pq_bench_platform platform = {
	    .size = sizeof platform,
	    .read = take,
	    .write = give,
	    .stop = stop,
	    .page_size = (uint32_t)sysconf(_SC_PAGESIZE),
	};
#ifdef __aarch64__
	platform.features = getauxval(AT_HWCAP);
#endif
	pq_bench_run(&platform);
	return 0;
}
