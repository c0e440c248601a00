/* A kernel that stands in for Unikraft's ELF loader in tests: it loads a static position-independent program from the initial RAM disk, runs it at
   EL1 beside itself, and offers as little as such a kernel may: a console that echoes, takes CR for LF, ends at EOT and puts CR before
   LF; read, write and exit_group; no AT_HWCAP unless HWCAP says otherwise. */
#include <stddef.h>
#include <stdint.h>

#ifndef HWCAP
#define HWCAP 0
#endif

enum { PROGRAM = 0x40200000, MEMORY_END = 0x48000000 };
enum { READ = 63, WRITE = 64, EXIT_GROUP = 94, ENOSYS = 38 };
enum { EOT = 4 };

static uint8_t program_stack[512 << 10] __attribute__((aligned(4096)));
uint8_t kernel_stack[64 << 10] __attribute__((aligned(4096), section(".stack")));

void enter(uintptr_t entry, uintptr_t stack) __attribute__((noreturn));

static volatile uint32_t *uart(unsigned offset) { return (volatile uint32_t *)(uintptr_t)(0x09000000 + offset); }

static void put(char c) {
	while (*uart(0x18) & 1 << 5) {
	}
	*uart(0) = (uint8_t)c;
}

static void put_text(const char *text) {
	for (; *text; text++) {
		if (*text == '\n')
			put('\r');
		put(*text);
	}
}

static int input_waits(void) { return !(*uart(0x18) & 1 << 4); }

static void __attribute__((noreturn)) power_off(void) {
	register uint64_t x0 __asm__("x0") = 0x84000008;
	__asm__ volatile("hvc #0" : "+r"(x0));
	for (;;) {
	}
}

static void __attribute__((noreturn)) die(const char *why) {
	put_text("STAND-IN KERNEL: ");
	put_text(why);
	put_text("\n");
	power_off();
}

static int64_t read_console(uint8_t *buffer, size_t length) {
	static int ended;
	if (ended)
		return 0;
	size_t read = 0;
	while (!input_waits()) {
	}
	while (read < length && input_waits())
		buffer[read++] = (uint8_t)*uart(0);
	uint8_t *last = &buffer[read - 1];
	if (*last == '\r')
		*last = '\n';
	for (size_t i = 0; i < read; i++)
		put((char)buffer[i]);
	ended = *last == EOT;
	return (int64_t)read;
}

int64_t system_call(uint64_t *registers, uint64_t syndrome, uint64_t address) {
	(void)address;
	if (syndrome >> 26 != 0x15)
		die("an exception that is no system call");
	switch (registers[8]) {
	case READ:
		return read_console((uint8_t *)registers[1], registers[2]);
	case WRITE:
		for (size_t i = 0; i < registers[2]; i++) {
			char c = ((const char *)registers[1])[i];
			if (c == '\n')
				put('\r');
			put(c);
		}
		return (int64_t)registers[2];
	case EXIT_GROUP:
		put_text("GOODBYE\n");
		power_off();
	default:
		return -ENOSYS;
	}
}

static uint32_t big(const void *at) { return __builtin_bswap32(*(const uint32_t *)at); }

static int same(const char *a, const char *b) {
	for (; *a && *a == *b; a++, b++) {
	}
	return *a == *b;
}

/* The value of a property of the device tree with one or two cells. */
static uint64_t property(const uint8_t *tree, const char *wanted) {
	const uint8_t *at = tree + big(tree + 8), *names = tree + big(tree + 12);
	for (;;) {
		uint32_t token = big(at);
		at += 4;
		if (token == 1) {
			while (*at++) {
			}
			at = (const uint8_t *)(((uintptr_t)at + 3) & ~(uintptr_t)3);
		} else if (token == 3) {
			uint32_t length = big(at);
			const char *name = (const char *)names + big(at + 4);
			at += 8;
			if (same(name, wanted))
				return length == 8 ? (uint64_t)big(at) << 32 | big(at + 4) : big(at);
			at += (length + 3) & ~3u;
		} else if (token == 9) {
			return 0;
		}
	}
}

struct program_header {
	uint32_t kind, flags;
	uint64_t offset, address, physical, file_bytes, memory_bytes, alignment;
};

static void copy(uint8_t *to, const uint8_t *from, size_t bytes) {
	while (bytes--)
		*to++ = *from++;
}

void *memset(void *at, int byte, size_t bytes) {
	for (uint8_t *to = at; bytes--; to++)
		*(volatile uint8_t *)to = (uint8_t)byte;
	return at;
}

void kernel_main(const uint8_t *tree) {
	*uart(0x2c) = 0x70;
	*uart(0x30) = 0x301;
	put_text("POWERED BY A STAND-IN 0123 !\"#$ @P\n");
	const uint8_t *file = (const uint8_t *)property(tree, "linux,initrd-start");
	if (!file)
		die("no initial RAM disk");
	if (big(file) != 0x7f454c46 || file[16] != 3)
		die("the initial RAM disk is no position-independent ELF file");
	uint64_t headers = *(const uint64_t *)(file + 32);
	uint16_t number = *(const uint16_t *)(file + 56);
	const struct program_header *header = (const void *)(file + headers);
	for (int i = 0; i < number; i++) {
		uint8_t *to = (uint8_t *)PROGRAM + header[i].address;
		if (header[i].kind == 3)
			die("the program wants an interpreter");
		if (header[i].kind != 1)
			continue;
		if ((uintptr_t)to + header[i].memory_bytes > MEMORY_END)
			die("the program is too large");
		copy(to, file + header[i].offset, header[i].file_bytes);
		uint8_t *zeros = to + header[i].file_bytes;
		/* By words: there are 70 MiB of them. */
		for (; (uintptr_t)zeros % 8; zeros++)
			*zeros = 0;
		for (; zeros < to + header[i].memory_bytes; zeros += 8)
			*(volatile uint64_t *)zeros = 0;
	}
	static const char name[] = "program";
	uint64_t *stack = (uint64_t *)(program_stack + sizeof program_stack - 512);
	const uint64_t words[] = {
		1, (uintptr_t)name, 0, 0,
		3, PROGRAM + headers, 4, sizeof *header, 5, number, 6, 4096, 16, HWCAP, 0, 0,
	};
	copy((uint8_t *)stack, (const uint8_t *)words, sizeof words);
	enter(PROGRAM + *(const uint64_t *)(file + 24), (uintptr_t)stack);
}
