/* SPDX-License-Identifier: MIT */
/*
 * A compare-and-swap of two neighbouring words: cmpxchg16b, which all x86-64
 * processors have but the first few (x86-64-v2), or exclusive pairs of loads and
 * stores on aarch64. Other processors have CAS16_SUPPORTED == 0 and no cas16(): there the callers
 * change both words under a lock (percpu/cas_list.c, slab/slab_word.h).
 *
 * There is no load of both words. Reading one after the other may give a pair that never was
 * in memory; then the swap fails, so a caller that swaps is safe. Each caller must argue itself
 * in which order it reads the words, and why a pair that comes back (ABA) does no harm.
 */
#ifndef BASE_CAS16_H
#define BASE_CAS16_H

#include "base/atomic.h"
#include "base/compiler.h"

#if defined(__x86_64__) || defined(__aarch64__)
#define CAS16_SUPPORTED 1
#else
#define CAS16_SUPPORTED 0
#endif

struct two_words {
	unsigned long first;
	unsigned long second;
} __aligned(16);

#if CAS16_SUPPORTED
/*
 * *at = *new if *at is *old; acquires and releases. `at` is aligned to 16 bytes. Assembly, since
 * the builtin may call another library. Under ThreadSanitizer it is the builtin, since that tool
 * does not see instructions in assembly.
 */
static __always_inline bool cas16(void *at, const struct two_words *old,
				  const struct two_words *new)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
	unsigned long first = old->first, second = old->second;
	bool done;

	__asm__ volatile("lock cmpxchg16b %[at]"
			 : "=@ccz"(done), [at] "+m"(*(struct two_words *)at), "+a"(first),
			   "+d"(second)
			 : "b"(new->first), "c"(new->second)
			 : "memory");
	return done;
#elif defined(__aarch64__) && !defined(__SANITIZE_THREAD__)
	unsigned long first, second;
	unsigned int failed;

	__asm__ volatile("1:\n\t"
			 "ldaxp %[first], %[second], %[at]\n\t"
			 "cmp %[first], %[old_first]\n\t"
			 "ccmp %[second], %[old_second], 0, eq\n\t"
			 "mov %w[failed], 1\n\t"
			 "b.ne 2f\n\t"
			 "stlxp %w[failed], %[new_first], %[new_second], %[at]\n\t"
			 "cbnz %w[failed], 1b\n"
			 "2:\n\t"
			 "clrex"
			 : [first] "=&r"(first), [second] "=&r"(second),
			   [failed] "=&r"(failed), [at] "+Q"(*(struct two_words *)at)
			 : [old_first] "r"(old->first), [old_second] "r"(old->second),
			   [new_first] "r"(new->first), [new_second] "r"(new->second)
			 : "memory", "cc");
	return !failed;
#else
	__extension__ typedef unsigned __int128 both;
	union {
		struct two_words words;
		both value;
	} expected = { *old }, wanted = { *new };

	return atomic_cas_acq_rel((both *)at, &expected.value, wanted.value);
#endif
}
#endif

#endif
