/* SPDX-License-Identifier: MIT */
/*
 * The names malloc, free and so on are the process's here: new_interposed.list leaves them to the
 * dynamic linker. The library's own functions have the names own_malloc and so on.
 */
#include "malloc/family.h"

#include "malloc/checked_blocks.h"
#include "malloc/malloc.h"
#include "malloc/malloc_slow.h"

/* Hides from the compiler that these are two names: it would assume that they are two functions. */
#define IS_OWN(name)								\
	({									\
		__typeof__(&(name)) bound_ = (name);				\
										\
		__asm__("" : "+r"(bound_));					\
		bound_ == own_##name;						\
	})

bool family_is_own(void)
{
	return IS_OWN(malloc) && IS_OWN(free);
}

bool family_free(void *pointer)
{
	static __thread bool is_busy __attribute__((__tls_model__("initial-exec")));

	if (IS_OWN(free) || is_busy || checked_owns(pointer))
		return false;
	is_busy = true;
	free(pointer);
	is_busy = false;
	return true;
}

void *reallocarray(void *pointer, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		return malloc_out_of_memory();
	return realloc(pointer, bytes);
}
