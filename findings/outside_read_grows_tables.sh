#!/bin/sh
# SPDX-License-Identifier: MIT
#
# To read another process's memory makes that process's page tables grow.
#
# Versions: Linux 6.18.44, x86-64 and the kernels near it. The program is built in Debian 13.
# One would guess: what a debugger or a profiler reads by process_vm_readv(2) or from /proc/PID/mem
#     leaves no trace in the process that is read.
# What happens: each page that the process has never touched, or has given back by madvise(2), gets
#     an entry for the zero page. /proc/PID/pagemap says afterwards that it is present. The tables
#     take 2 KiB for each MiB that was read, which count for the process and its memory cgroup. RSS
#     and the process's count of page faults stay as they are, so nothing else tells. An entry stays
#     until the memory is unmapped or given back once more.
# Seen: of 16384 untouched pages none is present before, all are after; VmPTE 128 KiB more, RSS 0,
#     faults 0. By process_vm_readv(2) and by /proc/PID/mem alike.
# Why it matters: a reader of a heap reads much that an allocator has given back. It should ask
#     pagemap first, and not afterwards: then it measures its own footprints.
. "$(dirname "$0")/root.sh"

debian_root trixie gcc-14=14.2.0-19 libc6-dev=2.41-12+deb13u5

cat > "$root/work/read.c" <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES (64UL << 20)
#define PIECE (1UL << 20)

static long status(pid_t pid, const char *key)
{
	char path[64], line[256];
	long value = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)))
			value = atol(line + strlen(key) + 1);
	if (file)
		fclose(file);
	return value;
}

static long faults(pid_t pid)
{
	char path[64], line[512] = "";
	long value = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (file && fgets(line, sizeof(line), file))
		sscanf(strrchr(line, ')'), ") %*c %*d %*d %*d %*d %*d %*u %ld", &value);
	if (file)
		fclose(file);
	return value;
}

static unsigned long present(pid_t pid, char *at)
{
	static uint64_t entries[BYTES / 4096];
	unsigned long nr = 0;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", pid);
	fd = open(path, O_RDONLY);
	if (pread(fd, entries, sizeof(entries), (uintptr_t)at / 4096 * 8) != sizeof(entries))
		exit(2);
	close(fd);
	for (unsigned long i = 0; i < BYTES / 4096; i++)
		nr += entries[i] >> 63;
	return nr;
}

int main(int argc, char **argv)
{
	char *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char *to = malloc(PIECE), path[64];
	int go[2], mem;
	long tables, rss, minor;
	pid_t pid;

	madvise(at, BYTES, MADV_NOHUGEPAGE);
	if (pipe(go) || (pid = fork()) < 0)
		return 2;
	if (!pid) {
		close(go[1]);
		(void)!read(go[0], path, 1);
		_exit(0);
	}
	usleep(200000);
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	mem = open(path, O_RDONLY);
	tables = status(pid, "VmPTE"), rss = status(pid, "VmRSS"), minor = faults(pid);
	printf("%lu", present(pid, at));
	for (unsigned long i = 0; i < BYTES; i += PIECE) {
		struct iovec local = { to, PIECE }, remote = { at + i, PIECE };

		if ((argc > 1 ? pread(mem, to, PIECE, (off_t)(uintptr_t)(at + i)) :
				process_vm_readv(pid, &local, 1, &remote, 1, 0)) != (ssize_t)PIECE)
			return 2;
	}
	printf(" %lu; tables %ld KiB more, RSS %ld, faults %ld\n", present(pid, at),
	       status(pid, "VmPTE") - tables, status(pid, "VmRSS") - rss, faults(pid) - minor);
	close(go[1]);
	waitpid(pid, NULL, 0);
	(void)argv;
	return 0;
}
END
inside gcc-14 -O1 -static -o read read.c || cannot_tell "the program does not compile"
# A child of this shell may be read by it, whatever Yama says.
for way in "" mem; do
	# shellcheck disable=SC2086
	seen=$("$root/work/read" $way) || cannot_tell "this process may not read its child's memory"
	expect "reading by ${way:-process_vm_readv}" \
		"0 16384; tables 128 KiB more, RSS 0, faults 0" "$seen"
done
