/* SPDX-License-Identifier: MIT */
/*
 * A program has a sigaction() of its own that takes a lock and allocates, as virtual machines and
 * sanitizers have. The library does not call it.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "child.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((__visibility__("default")))
int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	static int (*next)(int number, const struct sigaction *action, struct sigaction *old);
	int result;

	pthread_mutex_lock(&lock);
	if (!next)
		next = (int (*)(int, const struct sigaction *, struct sigaction *))
			dlsym(RTLD_NEXT, "sigaction");
	free(opaque(malloc(100)));
	result = next(number, action, old);
	pthread_mutex_unlock(&lock);
	return result;
}

static int allocate_much(void)
{
	struct sigaction now;

	for (unsigned int i = 0; i < 1000; i++) {
		free(opaque(malloc(100)));
		REQUIRE(!sigaction(SIGUSR1, NULL, &now));
	}
	return harness_status();
}

static void no_lock_is_taken_twice(void)
{
	static const struct child_again again = { "--allocate", NULL, "kfence_sample=1", 0 };
	struct child_result result;

#ifndef __GLIBC__
	harness.skipped = "musl's library has no other name for it";
	return;
#endif
	child_run(&result, child_exec_again, (void *)&again);
	CHECK(child_exited(result.status, 0) && !*result.err, "; wait status %#x %s",
	      result.status, result.err);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "no_lock_is_taken_twice", no_lock_is_taken_twice, true },
	};

	if (argc > 1)
		return allocate_much();
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
