/* SPDX-License-Identifier: MIT */
/*
 * os: everything that the allocators want from the operating system.
 *
 * 1. Purpose: a small contract with pre- and post-conditions; errors are
 *    negative errno values, and errno itself is left alone.
 * 2. What it must not know: allocators.
 * 3. Sizes and addresses are multiples of os_page_bytes() unless noted.
 * 4. Every function may be called from any thread and before main(); none
 *    allocates, and none is a cancellation point.
 * 5. Failure of a release is harmless: the memory just stays.
 */
#ifndef OS_OS_H
#define OS_OS_H

#include "base/compiler.h"
#include "os/machine/cpu.h"

/* The machine's page size; at least 4096 and a power of two. */
size_t os_page_bytes(void);
/*
 * May these instructions be used, and LZCNT, which came with them? The system has to keep their
 * registers, too.
 */
bool os_has_avx2(void);

/*
 * Address space that cannot be touched and is not in core dumps. On success
 * *addr is aligned to align (a power of two). 0, -ENOMEM or -EINVAL.
 */
int os_reserve(size_t bytes, size_t align, void **addr);
/* Makes a part of a reservation readable and writable; it is zero. */
int os_commit(void *addr, size_t bytes);
/* A part of what was committed cannot be touched, or can again, and keeps what it holds. */
int os_hide(void *addr, size_t bytes);
int os_show(void *addr, size_t bytes);
/* How many mappings the process may have. */
unsigned long os_max_mappings(void);
/*
 * Zeroed memory, readable and writable, at this address; -EEXIST if anything is there. What
 * is never written costs nothing.
 */
int os_map_at(void *addr, size_t bytes);
/* Address space that cannot be touched, at this address; -EEXIST if anything is there. */
int os_reserve_at(void *addr, size_t bytes);
/* Addresses that a process has, in bytes. */
uint64_t os_address_space_bytes(void);
/* Zeroed memory, readable and writable, aligned to align. */
int os_map(size_t bytes, size_t align, void **addr);
/* Would the system grant so many bytes, rounded up to pages? */
bool os_can_map(size_t bytes);
/* Like os_map(), but address space that is never written costs nothing. */
int os_map_lazily(size_t bytes, size_t align, void **addr);
int os_unmap(void *addr, size_t bytes);
/* A mapping that cannot be split, since there are too many, at least gives up its memory. */
void os_unmap_or_discard(void *addr, size_t bytes);
/*
 * Grows or shrinks a mapping made by os_map(); it may move. On failure it is
 * unchanged. Bytes gained are zero.
 */
int os_remap(void *old, size_t old_bytes, size_t new_bytes, void **addr);
/* The same where it is, or not at all. */
int os_remap_in_place(void *addr, size_t old_bytes, size_t new_bytes);
/* The content is given up: reads see zero afterwards. Not of locked memory (mlockall(2)). */
int os_discard(void *addr, size_t bytes);
/* Huge pages are wanted there from now on, or not (madvise(2)); what is there stays. */
int os_huge_pages(void *addr, size_t bytes, bool wanted);
/*
 * Its pages are present afterwards, and may be written without a page fault (madvise(2), Linux
 * 5.14); their content stays. On failure some of them may be.
 */
int os_prefault(void *addr, size_t bytes);
/*
 * Pages of os_map() are as then again, whatever a program did to them: not locked, writable,
 * dumped, and with their content in fork children. Not where some have become another's (a file's,
 * shared ones). What was asked for huge pages stays. On failure they are half-way.
 */
int os_make_plain(void *addr, size_t bytes);
/* It is locked no more, whoever locked it. */
int os_unlock(void *addr, size_t bytes);
/* Is new memory locked (mlockall(2) with MCL_FUTURE)? Asks by making some. */
bool os_locks_new_memory(void);

/*
 * Memory that can be seen at several addresses; there is one such store in a process, of so
 * many bytes, zero at first. What is mapped takes the place of a part of a reservation.
 */
int os_shared_open(size_t bytes);
int os_shared_map(void *addr, size_t bytes, size_t offset);
/* As os_discard(), at all addresses. */
int os_shared_discard(void *addr, size_t bytes);

/* RAM and swap, in bytes. */
uint64_t os_memory_bytes(void);

/* The smallest limit that the process lives under. */
struct os_limit {
	uint64_t bytes;		/* UINT64_MAX if there is none */
	const char *source;	/* constant text */
};
/* Memory cgroup (v1 and v2, with its parents), RLIMIT_AS, RLIMIT_DATA, RAM. */
void os_memory_limit(struct os_limit *limit);
/* RLIMIT_AS alone; UINT64_MAX if there is none. */
uint64_t os_address_space_limit(void);
/* RLIMIT_DATA, or UINT64_MAX: what can be written to, and is the process's own, counts. */
uint64_t os_data_limit(void);

/* 1 + the highest CPU number that may ever exist here. */
unsigned int os_possible_cpus(void);
/*
 * Memory nodes, by the machine's numbers, which may have gaps. Of a set of them each has
 * one bit; nodes from OS_NODES on are not told of.
 */
#define OS_NODES 64
/* Those that are there, with memory or CPUs or both; at least one. */
uint64_t os_nodes_online(void);
/* Of them, those with memory; at least one. */
uint64_t os_nodes_of_memory(void);
/* Of these, those whose memory this process may have (cpusets); at least one. */
uint64_t os_nodes_with_memory(void);
/*
 * Has the process a memory policy (numactl(8)) that says more than "the node where it
 * runs"?
 */
bool os_has_memory_policy(void);
/* As the machine says: 10 is the node itself. */
unsigned int os_node_distance(unsigned int from, unsigned int to);
/* The node's memory. */
uint64_t os_node_bytes(unsigned int node);
/* Reads which CPUs the nodes have; before, no CPU's node is known. The nodes with CPUs. */
uint64_t os_read_node_cpus(void);
/* The CPU's node, or -1. */
int os_cpu_node(unsigned int cpu);
/* The node of the calling thread's CPU, at the time of the call. */
unsigned int os_current_node(void);
/* Memory that is touched from now on comes from that node while it has some. */
void os_prefer_node(void *addr, size_t bytes, unsigned int node);
/*
 * The calling thread's memory policy (set_mempolicy(2)): its mode without flags, one bit for
 * each of its nodes. 0, or a negative errno if the kernel has none to tell.
 */
int os_thread_memory_policy(int *mode, unsigned long *nodes);
/* A node's weight for interleaving; 0 if the kernel does not tell. */
unsigned int os_node_weight(unsigned int node);

/* The calling thread's number, as the kernel has it. */
int os_current_thread(void);
/* Has the calling thread a realtime or deadline policy? */
bool os_thread_is_realtime(void);
/* From here on it has none, if the system lets it. */
void os_thread_make_ordinary(void);
uint64_t os_random(void);
/* Milliseconds of a clock that only goes forward; as coarse as the scheduler's tick. */
uint64_t os_time_ms(void);
/* The same clock in nanoseconds, as fine as it is. */
uint64_t os_time_ns(void);
/* The process. */
int os_current_process(void);
/* Its page faults so far: all, and those that had to wait for a disk. */
void os_page_faults(unsigned long *all, unsigned long *major);
/* Bytes of RAM that the process has, with its programs and libraries; 0 if nobody tells. */
uint64_t os_resident_bytes(void);
/* The calling thread's name; at most 15 characters and a null byte. */
#define OS_NAME_BYTES 16
void os_thread_name(char name[OS_NAME_BYTES]);
void os_sleep_us(unsigned int microseconds);

/*
 * One more in each child of fork(), so that what threads left behind can be told that
 * are not there any more. Sync: written in the child before there are other threads.
 */
extern uint32_t os_fork_generation;
/*
 * Is this the process that the library came up in, or a child by fork()? Not so one by vfork(),
 * which has the same memory, or by other calls that run no handlers.
 */
bool os_process_is_own(void);
void os_process_set_own(void);

/* The kernel's set of 64 signals, of the calling thread. */
typedef uint64_t os_signals;
#define OS_SIGNAL(number) (1UL << ((number) - 1))
/* libc keeps two for its threads, and blocks neither. */
#define OS_SIGNALS_ALL (~(3UL << (32 - 1)))
/* What instructions raise, and cannot be blocked then. */
#define OS_SIGNALS_FAULTS (OS_SIGNAL(SIGSEGV) | OS_SIGNAL(SIGBUS) | OS_SIGNAL(SIGILL) | \
			   OS_SIGNAL(SIGFPE) | OS_SIGNAL(SIGTRAP) | OS_SIGNAL(SIGSYS))
struct sigaction;
/*
 * sigaction(2), past a function of that name that the program may have: it may take locks, or
 * allocate.
 */
int os_sigaction(int number, const struct sigaction *action, struct sigaction *old);
/* Blocks these, beside those that are; what the set was before. */
void os_block_signals(os_signals set, os_signals *before);
void os_restore_signals(const os_signals *before);

/*
 * open(2) for reading; read(2), close(2). These three and the next three alone set errno, as
 * libc's do.
 */
int os_open_file(const char *path);
long os_read_some(int fd, void *buffer, size_t size);
void os_close_file(int fd);
/*
 * open(2) for writing to a file that is made or made empty; that is made or written to at its
 * end; or that was not there, EEXIST if anything has the name. One that is made has these
 * permissions, without what umask(2) takes away. A pipe that nobody reads is not waited for
 * (ENXIO), but what it takes is.
 */
int os_create_file(const char *path, unsigned int permissions);
int os_append_to_file(const char *path, unsigned int permissions);
int os_create_new_file(const char *path, unsigned int permissions);
/* These permissions whatever umask(2) says, if the system lets it. */
void os_set_permissions(int fd, unsigned int permissions);
/*
 * Processes that write texts to the same file, pipe or terminal take turns: a lock that the
 * process has (fcntl(2), F_SETLK, on the last byte a file may have) until it unlocks or closes the
 * file. False if another process keeps it for so many milliseconds, or the file takes no locks.
 */
bool os_lock_file(int fd, unsigned int wait_ms);
void os_unlock_file(int fd);
/* The size of an ordinary file; negative if it is none. os_cut_file() makes it shorter. */
long os_file_size(int fd);
void os_cut_file(int fd, long size);
/* The mode of the file that has this name, be it a symbolic link; 0 if none has. */
unsigned int os_file_mode(const char *path);
/* In place of what had the new name, at once. 0 or a negative errno. */
int os_rename_file(const char *from, const char *to);
void os_remove_file(const char *path);

/*
 * Reads at most size - 1 bytes and ends them with a null byte. The length, or
 * a negative errno.
 */
long os_read_file(const char *path, char *buffer, size_t size);
/*
 * The same for what the kernel tells of the machine and the process, below os_root: tests
 * make it tell of other machines. Sync: os_root is written before anything is brought up.
 */
long os_read_fact(const char *path, char *buffer, size_t size);
extern const char *os_root;

/*
 * Where the program lies; /proc/self/exe does not say so under Valgrind, under qemu-user, and where
 * the dynamic loader was run with the program as its argument. Behind the name of a file that is
 * gone the kernel writes " (deleted)". False, and "", if nobody tells.
 */
#define OS_PROGRAM_PATH_BYTES (4096 + 128)
bool os_program_path(char path[OS_PROGRAM_PATH_BYTES]);
/* By what name to open it or to run it again: /proc/self/exe, unless that is another file. */
void os_program_file(char path[OS_PROGRAM_PATH_BYTES]);

/*
 * "FILE+0xOFFSET" for an address in a mapped file, which is what addr2line takes;
 * else the address as a number.
 */
void os_describe_address(const void *address, char *text, size_t size);
/* The same for many addresses: files that were met before are not looked up again. */
#define OS_FILES_SEEN 8
struct os_files {
	unsigned int next;
	struct os_file {
		unsigned long start, end, offset;
		char path[200];
	} seen[OS_FILES_SEEN];
};
void os_describe_in_files(struct os_files *files, const void *address, char *text, size_t size);
/*
 * For a process that is to open no file any more (os/report/process.h): reads where code is, for
 * both.
 */
void os_keep_code_files(void);
/*
 * If it is set, it describes addresses in place of both. The layer for kernel sources sets it: they
 * become a program whose file is deleted at once, so its offsets tell nothing and functions' names
 * are needed. It is called under any lock, and in signal handlers. Sync: written before there are
 * threads
 */
extern void (*os_describe_hook)(const void *address, char *text, size_t size);

/*
 * The return addresses above the caller, but for the first `skip`, innermost first; at
 * most max. How many.
 */
unsigned int os_stack_save(const void **frames, unsigned int max, unsigned int skip);

/*
 * Is the dynamic loader among the callers? It may hold locks of libc's that a new thread
 * needs. True as well where that cannot be told.
 */
bool os_called_by_loader(void);

/*
 * Does the calling thread run a signal handler? OS_UNSURE where its stack does not tell: on
 * musl, above code without tables for unwinding (machine code that a program made), on a
 * coroutine's stack.
 */
enum os_answer { OS_NO, OS_YES, OS_UNSURE };
enum os_answer os_in_signal_handler(void);

/*
 * Copies an environment variable's value; works before libc has set environ.
 * The value's length, which is size or more if it did not fit; negative if it is
 * not set or the process runs with raised privileges (AT_SECURE).
 */
long os_environment(const char *name, char *value, size_t size);

#endif
