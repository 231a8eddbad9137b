/* SPDX-License-Identifier: MIT */
/* Which file an address belongs to, and where the program lies. Async-signal-safe. */
#ifndef OS_REPORT_SYMBOLIZE_H
#define OS_REPORT_SYMBOLIZE_H

#include "base/compiler.h"

/*
 * The path of the program's file. /proc/self/exe names another file under Valgrind, under
 * qemu-user, and where the dynamic loader was run with the program as its argument. The kernel
 * appends " (deleted)" to the name of a file that is gone. False, and "", if nobody tells.
 */
#define OS_PROGRAM_PATH_BYTES (4096 + 128)
bool os_program_path(char path[OS_PROGRAM_PATH_BYTES]);
/* The name to open it or run it by: /proc/self/exe, unless that is another file. */
void os_program_file(char path[OS_PROGRAM_PATH_BYTES]);

/*
 * "FILE+0xOFFSET" for an address in a mapped file, as addr2line(1) takes it; else the address as a
 * number.
 */
void os_describe_address(const void *address, char *text, size_t size);
/* Like os_describe_address(), for many addresses: the last files are remembered. */
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
 * Reads where code is mapped, for both functions above. For a process that is about to forbid
 * itself to open files (os/report/process.h).
 */
void os_keep_code_files(void);

#endif
