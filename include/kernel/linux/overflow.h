/* SPDX-License-Identifier: MIT */
/* Arithmetic that reports overflow. Sizes saturate at SIZE_MAX. */
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
/* The argument is a type or an expression. */
#define type_max(t)							\
	((__typeof__(t))(is_signed_type(__typeof__(t)) ?		\
		(__typeof__(t))((1ULL << (8 * sizeof(t) - 1)) - 1) : (__typeof__(t))~0ULL))
#define type_min(t) \
	((__typeof__(t))(is_signed_type(__typeof__(t)) ? -type_max(t) - 1 : 0))
/* The _constexpr form is a constant if n is one. type may also be an expression. */
#define __overflows_type(n, type)					\
	({								\
		__typeof__(type) overflows_;				\
									\
		__builtin_add_overflow(n, 0, &overflows_);		\
	})
#define __overflows_type_constexpr(n, type)				\
	(is_signed_type(__typeof__(n)) && (n) < 0 ?			\
		is_unsigned_type(__typeof__(type)) ||			\
			(s64)(n) < (s64)type_min(type) :	\
		(u64)(n) > (u64)type_max(type))
#define overflows_type(n, type)						\
	__builtin_choose_expr(__is_constexpr(n), __overflows_type_constexpr(n, type), \
			      __overflows_type(n, type))
/* A constant fits by its value, a variable by its type. */
#define castable_to_type(n, type)					\
	__builtin_choose_expr(__is_constexpr(n), !__overflows_type_constexpr(n, type), \
			      __same_type(n, type))
/* A range may end at max. It may not begin there, even if it is empty. */
#define range_overflows(start, size, max)				\
	({								\
		__auto_type start_ = (start);				\
		__auto_type max_ = (max);				\
									\
		start_ >= max_ || (size) > max_ - start_;		\
	})
#define range_overflows_t(type, start, size, max) \
	range_overflows((type)(start), (type)(size), (type)(max))
#define range_end_overflows(start, size, max)				\
	({								\
		__auto_type start_ = (start);				\
		__auto_type max_ = (max);				\
									\
		start_ > max_ || (size) > max_ - start_;		\
	})
#define range_end_overflows_t(type, start, size, max) \
	range_end_overflows((type)(start), (type)(size), (type)(max))
#define wrapping_add(type, a, b) \
	({ type wrapped_; __builtin_add_overflow(a, b, &wrapped_); wrapped_; })
#define wrapping_sub(type, a, b) \
	({ type wrapped_; __builtin_sub_overflow(a, b, &wrapped_); wrapped_; })
#define wrapping_mul(type, a, b) \
	({ type wrapped_; __builtin_mul_overflow(a, b, &wrapped_); wrapped_; })
#define wrapping_assign_add(variable, offset)				\
	({								\
		__auto_type assigned_ = &(variable);			\
									\
		*assigned_ = wrapping_add(__typeof__(*assigned_), *assigned_, offset); \
	})
#define wrapping_assign_sub(variable, offset)				\
	({								\
		__auto_type assigned_ = &(variable);			\
									\
		*assigned_ = wrapping_sub(__typeof__(*assigned_), *assigned_, offset); \
	})

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

/* If an operand is SIZE_MAX, the result is SIZE_MAX. */
static inline size_t __must_check size_sub(size_t a, size_t b)
{
	return a == SIZE_MAX || b == SIZE_MAX || a < b ? SIZE_MAX : a - b;
}

#define array_size(a, b) size_mul(a, b)
#define array3_size(a, b, c) size_mul(size_mul(a, b), c)
/* The result is a constant if count is one. */
#define flex_array_size(p, member, count)				\
	__builtin_choose_expr(__is_constexpr(count), (count) * sizeof(*(p)->member), \
			      size_mul(count, sizeof(*(p)->member)))
#define struct_size(p, member, count)					\
	__builtin_choose_expr(__is_constexpr(count),			\
			      sizeof(*(p)) + flex_array_size(p, member, count), \
			      size_add(sizeof(*(p)), flex_array_size(p, member, count)))
#define struct_size_t(type, member, count) struct_size((type *)NULL, member, count)
/* A structure on the stack, zeroed or with values, whose flexible array has count entries. */
#define _DEFINE_FLEX(type, name, member, count, values...)		\
	_Static_assert(__builtin_constant_p(count), "the number of entries is a constant"); \
	union {								\
		u8 bytes[struct_size_t(type, member, count)];		\
		type obj;						\
	} name##_u values;						\
	type *name = (type *)&name##_u
#define DEFINE_RAW_FLEX(type, name, member, count) \
	_DEFINE_FLEX(type, name, member, count, = { { 0 } })
#define DEFINE_FLEX(type, name, member, counter, count)			\
	DEFINE_RAW_FLEX(type, name, member, count);			\
	name->counter = (count)
#define STACK_FLEX_ARRAY_SIZE(name, array) \
	(__must_be_array((name)->array) + \
	 (sizeof(name##_u) - offsetof(__typeof__(*(name)), array)) / sizeof(*(name)->array))
#if __has_attribute(__counted_by__) && __has_builtin(__builtin_counted_by_ref)
#define __set_flex_counter(member, count)				\
	(*_Generic(__builtin_counted_by_ref(member), void *: &(size_t){ 0 }, \
		   default: __builtin_counted_by_ref(member)) = (count))
#else
#define __set_flex_counter(member, count) ((void)(count))
#endif

#endif
