/* SPDX-License-Identifier: MIT */
/*
 * Bits in arrays of words. set_bit() and similar functions are atomic; those that begin with __ are
 * not. The atomic test_and_ forms are fully ordered.
 */
#ifndef KERNEL_LINUX_BITOPS_H
#define KERNEL_LINUX_BITOPS_H

#include <asm/barrier.h>
#include <asm/byteorder.h>
#include <asm/cpufeatures.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/panic.h>
#include <linux/printk.h>
#include <linux/typecheck.h>
#include <linux/types.h>

#define __ffs(word) ((unsigned long)__builtin_ctzl(word))
#define __fls(word) ((unsigned long)(63 - __builtin_clzl(word)))
#define ffz(word) __ffs(~(word))

#undef ffs
#define ffs(x) __builtin_ffs(x)

static __always_inline int fls(unsigned int x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

static __always_inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

static __always_inline unsigned int fls_long(unsigned long x)
{
	return (unsigned int)fls64(x);
}

static __always_inline unsigned int __ffs64(u64 x)
{
	return (unsigned int)__builtin_ctzll(x);
}

#define hweight8(x) ((unsigned int)__builtin_popcount((u8)(x)))
#define hweight16(x) ((unsigned int)__builtin_popcount((u16)(x)))
#define hweight32(x) ((unsigned int)__builtin_popcount((u32)(x)))
#define hweight64(x) ((unsigned long)__builtin_popcountll((u64)(x)))
#define hweight_long(x) ((unsigned long)__builtin_popcountl(x))
#define HWEIGHT8(x) hweight8(x)
#define HWEIGHT16(x) hweight16(x)
#define HWEIGHT32(x) hweight32(x)
#define HWEIGHT64(x) hweight64(x)

#define BITOPS_ROTATE(bits)						\
	static inline u##bits rol##bits(u##bits word, unsigned int shift) \
	{								\
		return (u##bits)(word << (shift & (bits - 1)) |		\
				 word >> (-shift & (bits - 1)));	\
	}								\
	static inline u##bits ror##bits(u##bits word, unsigned int shift) \
	{								\
		return (u##bits)(word >> (shift & (bits - 1)) |		\
				 word << (-shift & (bits - 1)));	\
	}
BITOPS_ROTATE(8)
BITOPS_ROTATE(16)
BITOPS_ROTATE(32)
BITOPS_ROTATE(64)
#undef BITOPS_ROTATE

static inline s32 sign_extend32(u32 value, int index)
{
	return (s32)(value << (31 - index)) >> (31 - index);
}

static inline s64 sign_extend64(u64 value, int index)
{
	return (s64)(value << (63 - index)) >> (63 - index);
}

static inline unsigned int get_bitmask_order(unsigned int count)
{
	return (unsigned int)fls(count);
}

static __always_inline bool test_bit(unsigned long nr, const volatile unsigned long *words)
{
	return 1UL & (READ_ONCE(words[BIT_WORD(nr)]) >> (nr % BITS_PER_LONG));
}

static __always_inline bool test_bit_acquire(unsigned long nr,
					     const volatile unsigned long *words)
{
	return 1UL & (__atomic_load_n(&words[BIT_WORD(nr)], __ATOMIC_ACQUIRE) >>
		      (nr % BITS_PER_LONG));
}

static __always_inline void set_bit(long nr, volatile unsigned long *words)
{
	__atomic_fetch_or(&words[BIT_WORD(nr)], BIT_MASK(nr), __ATOMIC_RELAXED);
}

static __always_inline void clear_bit(long nr, volatile unsigned long *words)
{
	__atomic_fetch_and(&words[BIT_WORD(nr)], ~BIT_MASK(nr), __ATOMIC_RELAXED);
}

static __always_inline void change_bit(long nr, volatile unsigned long *words)
{
	__atomic_fetch_xor(&words[BIT_WORD(nr)], BIT_MASK(nr), __ATOMIC_RELAXED);
}

static __always_inline bool test_and_set_bit(long nr, volatile unsigned long *words)
{
	return __atomic_fetch_or(&words[BIT_WORD(nr)], BIT_MASK(nr), __ATOMIC_SEQ_CST) &
	       BIT_MASK(nr);
}

static __always_inline bool test_and_clear_bit(long nr, volatile unsigned long *words)
{
	return __atomic_fetch_and(&words[BIT_WORD(nr)], ~BIT_MASK(nr), __ATOMIC_SEQ_CST) &
	       BIT_MASK(nr);
}

static __always_inline bool test_and_change_bit(long nr, volatile unsigned long *words)
{
	return __atomic_fetch_xor(&words[BIT_WORD(nr)], BIT_MASK(nr), __ATOMIC_SEQ_CST) &
	       BIT_MASK(nr);
}

/* For locks: setting the bit acquires, clearing the bit releases. */
static __always_inline bool test_and_set_bit_lock(long nr,
						  volatile unsigned long *words)
{
	return __atomic_fetch_or(&words[BIT_WORD(nr)], BIT_MASK(nr), __ATOMIC_ACQUIRE) &
	       BIT_MASK(nr);
}

static __always_inline void clear_bit_unlock(long nr, volatile unsigned long *words)
{
	__atomic_fetch_and(&words[BIT_WORD(nr)], ~BIT_MASK(nr), __ATOMIC_RELEASE);
}

#define __clear_bit_unlock(nr, words) clear_bit_unlock(nr, words)

static __always_inline void __set_bit(unsigned long nr, volatile unsigned long *words)
{
	words[BIT_WORD(nr)] |= BIT_MASK(nr);
}

static __always_inline void __clear_bit(unsigned long nr, volatile unsigned long *words)
{
	words[BIT_WORD(nr)] &= ~BIT_MASK(nr);
}

static __always_inline void __change_bit(unsigned long nr, volatile unsigned long *words)
{
	words[BIT_WORD(nr)] ^= BIT_MASK(nr);
}

static __always_inline bool __test_and_set_bit(unsigned long nr, volatile unsigned long *words)
{
	bool was = test_bit(nr, words);

	__set_bit(nr, words);
	return was;
}

static __always_inline bool __test_and_clear_bit(unsigned long nr, volatile unsigned long *words)
{
	bool was = test_bit(nr, words);

	__clear_bit(nr, words);
	return was;
}

static __always_inline bool __test_and_change_bit(unsigned long nr,
						  volatile unsigned long *words)
{
	bool was = test_bit(nr, words);

	__change_bit(nr, words);
	return was;
}

static __always_inline void assign_bit(unsigned long nr, volatile unsigned long *words, bool value)
{
	if (value)
		set_bit(nr, words);
	else
		clear_bit(nr, words);
}

static __always_inline void __assign_bit(unsigned long nr, volatile unsigned long *words,
					 bool value)
{
	if (value)
		__set_bit(nr, words);
	else
		__clear_bit(nr, words);
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(3, 18, 0)
#define smp_mb__before_clear_bit() mb()
#define smp_mb__after_clear_bit() mb()
#else
USERMM_REMOVED(smp_mb__before_clear_bit, "3.18", "smp_mb__before_atomic()")
USERMM_REMOVED(smp_mb__after_clear_bit, "3.18", "smp_mb__after_atomic()")
#endif

#include <linux/find.h>

/* The same in bitmaps as they stand on a disk (linux/find.h). */
#ifdef __BIG_ENDIAN
#define BITOP_LE_SWIZZLE (BITS_PER_LONG - BITS_PER_BYTE)
#else
#define BITOP_LE_SWIZZLE 0
#endif
#define USERMM_BIT_LE(type, name)					\
	static inline type name##_le(int nr, void *map)			\
	{								\
		return name(nr ^ BITOP_LE_SWIZZLE, (unsigned long *)map); \
	}
USERMM_BIT_LE(void, set_bit)
USERMM_BIT_LE(void, clear_bit)
USERMM_BIT_LE(void, __set_bit)
USERMM_BIT_LE(void, __clear_bit)
USERMM_BIT_LE(int, test_and_set_bit)
USERMM_BIT_LE(int, test_and_clear_bit)
USERMM_BIT_LE(int, __test_and_set_bit)
USERMM_BIT_LE(int, __test_and_clear_bit)
#undef USERMM_BIT_LE

static inline int test_bit_le(int nr, const void *map)
{
	return test_bit((unsigned long)(nr ^ BITOP_LE_SWIZZLE), (const unsigned long *)map);
}

/* The number of the n-th set bit, counted from 0; BITS_PER_LONG if fewer are set. */
static inline unsigned long fns(unsigned long word, unsigned int n)
{
	while (word && n--)
		word &= word - 1;
	return word ? (unsigned long)__builtin_ctzl(word) : BITS_PER_LONG;
}

#endif
