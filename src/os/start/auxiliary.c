/* SPDX-License-Identifier: MIT */
/*
 * The kernel puts on the first stack, from low addresses to high ones: the number of arguments, the
 * arguments, NULL, the environment, NULL, and the auxiliary vector. glibc's loader has a public
 * variable (__libc_stack_end) with the address of the number. So this finds the vector without a
 * call of libc's getauxval(), which another library may replace.
 *
 * A program may change its arguments and its environment in place. So the words behind them are
 * taken for the vector only if they have the form of one, and they are copied at the first call.
 *
 * musl has no such variable, and in glibc's static programs on x86-64 the variable has another
 * value. There each call asks getauxval().
 */
#include "os/start/auxiliary.h"

#include <errno.h>
#include <link.h>
#include <sys/auxv.h>

#include "base/atomic.h"

/* Types beyond are not asked for; the kernel has 52 so far. */
#define TYPES 64
/* A vector has about twenty entries, and less of them than this. */
#define ENTRIES_MAX 128
/* More arguments fit on no stack. */
#define ARGUMENTS_MAX (1L << 24)

/* Sync: atomic relaxed; all callers that write store the same */
static unsigned long values[TYPES];
static enum { UNKNOWN, COPIED, NOT_FOUND } state;	/* Sync: atomic */

#ifdef __GLIBC__
/*
 * In static programs on x86-64 this variable has an address below the number of arguments. The
 * reference is not weak: some linkers make a weak one 0 (percpu/rseq/libc_area.h).
 */
extern void *__libc_stack_end;

char **os_first_environment(void)
{
	const long *nr = __libc_stack_end;
	char **arguments;

	if (!nr || *nr < 0 || *nr > ARGUMENTS_MAX)
		return NULL;
	arguments = (char **)(nr + 1);
	return arguments[*nr] ? NULL : arguments + *nr + 1;
}
#else
char **os_first_environment(void)
{
	return NULL;
}
#endif

/* Is it a vector? It has an end, no unknown types, and the size of a page. */
static bool is_vector(const ElfW(auxv_t) *vector)
{
	bool has_page_size = false;

	for (unsigned int i = 0; i < ENTRIES_MAX; i++) {
		if (vector[i].a_type == AT_NULL)
			return has_page_size;
		if (vector[i].a_type >= 16 * TYPES)
			return false;
		has_page_size |= vector[i].a_type == AT_PAGESZ &&
				 is_power_of_2(vector[i].a_un.a_val);
	}
	return false;
}

/* NULL if it cannot be found. */
static const ElfW(auxv_t) *find_vector(void)
{
	char **entry = os_first_environment();

	if (!entry)
		return NULL;
	while (*entry)
		entry++;
	/*
	 * The vector lies behind the NULL. unsetenv() moves the later entries and the NULL down by
	 * one, so NULL may stand there several times.
	 */
	while (!*entry)
		entry++;
	return is_vector((const void *)entry) ? (const void *)entry : NULL;
}

static void copy_values(const ElfW(auxv_t) *entry)
{
	for (; entry->a_type != AT_NULL; entry++)
		if (entry->a_type < TYPES)
			atomic_store_relaxed(&values[entry->a_type],
					     (unsigned long)entry->a_un.a_val);
	/* pairs with os_auxiliary(): the values */
	atomic_store_release(&state, COPIED);
}

static slow_path void copy_vector(void)
{
	const ElfW(auxv_t) *vector = find_vector();

	if (vector)
		copy_values(vector);
	else
		atomic_store_relaxed(&state, NOT_FOUND);
}

static unsigned long ask_libc(unsigned long type)
{
	int saved_errno = errno;
	unsigned long value = getauxval(type);

	errno = saved_errno;
	return value;
}

unsigned long os_auxiliary(unsigned long type)
{
	if (atomic_load_relaxed(&state) == UNKNOWN)
		copy_vector();
	/* pairs with copy_values(): the values */
	if (atomic_load_acquire(&state) == COPIED)
		return type < TYPES ? atomic_load_relaxed(&values[type]) : 0;
	return ask_libc(type);
}
