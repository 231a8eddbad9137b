/* SPDX-License-Identifier: MIT */
/*
 * A target is what is inspected: a live process or a core dump, behind one interface.
 *
 * 1. Purpose. All else in this folder asks for bytes at an address and does not know where they
 *    come from. live.c reads a process by process_vm_readv(2), core.c reads an ELF core.
 *
 * 2. Nothing is written to a process, and it executes no instruction for its reader. Threads are
 *    stopped by ptrace(2) only between target_pause() and target_resume().
 *
 * 3. A read may fail at any time: memory was never there, went away, or is missing in a core.
 *    A process goes on meanwhile, so what was read may be of different times. Readers bound their
 *    loops, check what they read, and try again.
 *
 * 4. Failure. A function that can fail returns an enum inspect_status, which is also the exit
 *    status of the command. target->error has one line that says what is wrong and what helps.
 */
#ifndef INSPECT_TARGET_H
#define INSPECT_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "usermm/statuses.h"

/* The exit statuses that all commands share, and the one of `leaks`. */
enum inspect_status {
	INSPECT_OK = 0,
	INSPECT_LEAKS = 1,		/* there are leaks */
#define INSPECT_STATUS(name, number, meaning) INSPECT_##name = number,
	FOR_EACH_STATUS(INSPECT_STATUS)
#undef INSPECT_STATUS
};

#define INSPECT_TEXT_BYTES 512

/* A mapping of the target. */
struct range {
	uint64_t start, end;
	uint64_t there_end;		/* the bytes up to here are there: a core may lack others */
	uint64_t offset;		/* in the file */
	bool readable, writable, executable, shared;
	bool is_stack;			/* the main thread's */
	char *path;			/* of its file, or the kernel's name; NULL: anonymous */
};

/* A part of a read: `bytes` bytes from address to `to`. */
struct piece {
	uint64_t address;
	void *to;
	size_t bytes;
	bool failed;			/* the answer; then `to` is undefined */
};

/* A thread's registers, as words that may be pointers. */
#define THREAD_WORDS 64
struct thread {
	pid_t id;
	bool stands;			/* live.c: it has stopped, or ended */
	bool has_registers;
	uint64_t stack_pointer, program_counter;
	unsigned int nr_words;
	uint64_t words[THREAD_WORDS];
};

struct target;

struct target_ops {
	/* Reads all pieces; marks those that failed. The status is of the target as a whole. */
	enum inspect_status (*read)(struct target *target, struct piece *pieces, size_t n);
	/*
	 * As read(), for another thread, beside all other calls. It notes nothing in the target,
	 * and more pieces may fail.
	 */
	void (*read_beside)(struct target *target, struct piece *pieces, size_t n);
	/* Which of the pages have memory? A bit each. False: unknown, so read all. */
	bool (*present)(struct target *target, uint64_t address, size_t pages, uint8_t *bits);
	enum inspect_status (*read_ranges)(struct target *target);
	/* Stops all threads and reads their registers into target->threads; lets them go on. */
	enum inspect_status (*pause)(struct target *target);
	void (*resume)(struct target *target);
	/*
	 * Nanoseconds for which all threads have run so far; UINT64_MAX: unknown, or one of them
	 * runs now.
	 */
	uint64_t (*run_time)(struct target *target);
	void (*close)(struct target *target);
};

struct target {
	const struct target_ops *ops;
	char name[4200];		/* for messages: "process 12", or the path of a core */
	bool is_core;
	pid_t pid;
	char command[32];
	char executable[4096];		/* "" if unknown */
	struct range *ranges;		/* by address */
	size_t nr_ranges;
	struct thread *threads;		/* after target_pause() */
	size_t nr_threads;
	uint64_t paused_ns;		/* how long the last pause was */
	uint64_t bytes_read, nr_reads;	/* statistics */
	char lacks[256];		/* what a truncated core does not have; "" if nothing */
	bool missed;			/* a read wanted some of that */
	void *own;			/* the kind's own data */
	enum inspect_status status;	/* of error */
	char error[INSPECT_TEXT_BYTES];
};

/* text: a process id, or the path of a core. NULL after a message in *error. */
struct target *target_open(const char *text, enum inspect_status *status,
			   char error[INSPECT_TEXT_BYTES]);
void target_close(struct target *target);

/* Keeps status and message, and returns the status. */
enum inspect_status target_fail(struct target *target, enum inspect_status status,
				const char *format, ...)
	__attribute__((__format__(__printf__, 3, 4)));

/* All or nothing: false if a byte cannot be read. */
bool target_read(struct target *target, uint64_t address, void *to, size_t bytes);
/* Many parts in few system calls. */
enum inspect_status target_read_pieces(struct target *target, struct piece *pieces, size_t n);
/*
 * Reads pages of a large range. What has no memory in the target, or cannot be read, becomes zero,
 * and the target gets no memory for it. address and bytes are multiples of 4096.
 */
enum inspect_status target_read_sparse(struct target *target, uint64_t address, void *to,
				       size_t bytes);
/* A text of the target that ends in a null byte; cut to fit. False if it cannot be read. */
bool target_read_text(struct target *target, uint64_t address, char *to, size_t bytes);

/* The first range that ends behind the address, or NULL. */
const struct range *target_range_from(const struct target *target, uint64_t address);
/* The range that has the address, or NULL. */
const struct range *target_range(const struct target *target, uint64_t address);
enum inspect_status target_read_ranges(struct target *target);
/* For read_ranges(): forgets the ranges; adds one, in the order of addresses. */
void target_forget_ranges(struct target *target);
struct range *target_add_range(struct target *target, const struct range *range);

enum inspect_status target_pause(struct target *target);
void target_resume(struct target *target);
/* For pause(): a new thread without registers; NULL without memory. */
struct thread *target_add_thread(struct target *target, pid_t id);
void target_forget_threads(struct target *target);

/* live.c, core.c */
enum inspect_status live_open(struct target *target, pid_t pid);
enum inspect_status core_open(struct target *target, const char *path);

/* registers.c: fills in a thread from an NT_PRSTATUS's registers. */
void registers_take(struct thread *thread, const void *registers, size_t bytes);

#endif
