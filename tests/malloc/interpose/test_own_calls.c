/* SPDX-License-Identifier: MIT */
/*
 * A program has a getrandom() and a getpid() of its own that allocate, as another preloaded library
 * may have (libfaketime). usermm does not call them.
 */
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness.h"

static unsigned int nr_random, nr_pid;

__attribute__((__visibility__("default")))
ssize_t getrandom(void *buffer, size_t bytes, unsigned int flags)
{
	nr_random++;
	free(opaque(malloc(100)));
	return syscall(SYS_getrandom, buffer, bytes, flags);
}

__attribute__((__visibility__("default")))
pid_t getpid(void)
{
	nr_pid++;
	free(opaque(malloc(100)));
	return (pid_t)syscall(SYS_getpid);
}

static void nobody_comes_by(void)
{
	for (size_t size = 1; size < 8 * MIB; size *= 2)
		free(opaque(malloc(size)));
	CHECK(!nr_random && !nr_pid, "; %u and %u calls", nr_random, nr_pid);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "nobody_comes_by", nobody_comes_by, false },
	};

	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
