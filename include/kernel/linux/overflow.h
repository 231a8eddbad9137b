/* SPDX-License-Identifier: MIT */
/* Arithmetic that says when it does not fit; sizes saturate at SIZE_MAX. */
#ifndef KERNEL_LINUX_OVERFLOW_H
#define KERNEL_LINUX_OVERFLOW_H

#include <linux/compiler.h>
#include <linux/const.h>
#include <linux/limits.h>
#include <linux/types.h>

#define check_add_overflow(a, b, result) \
	((bool)__builtin_add_overflow(a, b, result))
#define check_sub_overflow(a, b, result) \
	((bool)__builtin_sub_overflow(a, b, result))
#define check_mul_overflow(a, b, result) \
	((bool)__builtin_mul_overflow(a, b, result))
#define check_shl_overflow(a, shift, result)				\
	({								\
		__auto_type shl_a_ = (a);				\
		__auto_type shl_to_ = (result);				\
		unsigned int shl_by_ = (unsigned int)(shift);		\
		bool shl_fits_ = shl_by_ < 8 * sizeof(*shl_to_);	\
									\
		*shl_to_ = (__unqual_typeof(*shl_to_))((u64)shl_a_ << (shl_fits_ ? shl_by_ : 0)); \
		!shl_fits_ || *shl_to_ < 0 || shl_a_ < 0 ||		\
			(u64)(*shl_to_ >> (shl_fits_ ? shl_by_ : 0)) != (u64)shl_a_; \
	})
#define type_max(type) \
	((type)(is_signed_type(type) ? (type)((1ULL << (8 * sizeof(type) - 1)) - 1) : (type)~0ULL))
#define type_min(type) ((type)(is_signed_type(type) ? -type_max(type) - 1 : 0))
#define overflows_type(n, type)						\
	({								\
		__typeof__(type) overflows_;				\
									\
		__builtin_add_overflow(n, 0, &overflows_);		\
	})
#define castable_to_type(n, type) (!overflows_type(n, type))
#define wrapping_add(type, a, b) \
	({ type wrapped_; __builtin_add_overflow(a, b, &wrapped_); wrapped_; })
#define wrapping_sub(type, a, b) \
	({ type wrapped_; __builtin_sub_overflow(a, b, &wrapped_); wrapped_; })
#define wrapping_mul(type, a, b) \
	({ type wrapped_; __builtin_mul_overflow(a, b, &wrapped_); wrapped_; })

static inline size_t __must_check size_mul(size_t a, size_t b)
{
	size_t bytes;

	return __builtin_mul_overflow(a, b, &bytes) ? SIZE_MAX : bytes;
}

static inline size_t __must_check size_add(size_t a, size_t b)
{
	size_t bytes;

	return __builtin_add_overflow(a, b, &bytes) ? SIZE_MAX : bytes;
}

/* An operand that is SIZE_MAX already stays so. */
static inline size_t __must_check size_sub(size_t a, size_t b)
{
	return a == SIZE_MAX || b == SIZE_MAX || a < b ? SIZE_MAX : a - b;
}

#define array_size(a, b) size_mul(a, b)
#define array3_size(a, b, c) size_mul(size_mul(a, b), c)
#define flex_array_size(p, member, count) size_mul(count, sizeof(*(p)->member))
#define struct_size(p, member, count) \
	size_add(sizeof(*(p)), flex_array_size(p, member, count))
#define struct_size_t(type, member, count) struct_size((type *)NULL, member, count)

#endif
