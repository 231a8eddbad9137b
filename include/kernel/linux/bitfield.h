/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_BITFIELD_H
#define KERNEL_LINUX_BITFIELD_H

#include <linux/build_bug.h>
#include <linux/kernel.h>

/* A field of a word is given by its mask, a constant. */
#define USERMM_FIELD_SHIFT(mask) (__builtin_ffsll(mask) - 1)
#define __bf_shf(mask) USERMM_FIELD_SHIFT(mask)
#define FIELD_MAX(mask) ((__typeof__(mask))((mask) >> USERMM_FIELD_SHIFT(mask)))
#define FIELD_FIT(mask, value) \
	(!((((__typeof__(mask))(value)) << USERMM_FIELD_SHIFT(mask)) & ~(mask)))
#define FIELD_PREP(mask, value) \
	(((__typeof__(mask))(value) << USERMM_FIELD_SHIFT(mask)) & (mask))
#define FIELD_PREP_CONST(mask, value) FIELD_PREP(mask, value)
#define FIELD_GET(mask, word) ((__typeof__(mask))(((word) & (mask)) >> USERMM_FIELD_SHIFT(mask)))
#define FIELD_MODIFY(mask, word, value) \
	((void)(*(word) = (*(word) & ~(mask)) | FIELD_PREP(mask, value)))

/*
 * Fields of words of each size and byte order, for masks that need not be constants; values that
 * do not fit are an error if they are constants.
 */
extern void __compiletime_error("value doesn't fit into mask") __field_overflow(void);
#define USERMM_FIELD_CALLS(type, number, to, from)			\
	static __always_inline __##type type##_encode_bits(number value, number field) \
	{								\
		number unit = field & -field;				\
									\
		if (__builtin_constant_p(value) && (value & ~(number)(field / unit))) \
			__field_overflow();				\
		return to((number)((value & (number)(field / unit)) * unit)); \
	}								\
	static __always_inline __##type					\
	type##_replace_bits(__##type old, number value, number field)	\
	{								\
		return (old & ~to(field)) | type##_encode_bits(value, field); \
	}								\
	static __always_inline void					\
	type##p_replace_bits(__##type *word, number value, number field) \
	{								\
		*word = type##_replace_bits(*word, value, field);	\
	}								\
	static __always_inline number type##_get_bits(__##type word, number field) \
	{								\
		return (number)((from(word) & field) / (number)(field & -field)); \
	}
#define USERMM_FIELD_SIZE(bits)						\
	USERMM_FIELD_CALLS(le##bits, u##bits, cpu_to_le##bits, le##bits##_to_cpu) \
	USERMM_FIELD_CALLS(be##bits, u##bits, cpu_to_be##bits, be##bits##_to_cpu) \
	USERMM_FIELD_CALLS(u##bits, u##bits, , )
USERMM_FIELD_CALLS(u8, u8, , )
USERMM_FIELD_SIZE(16)
USERMM_FIELD_SIZE(32)
USERMM_FIELD_SIZE(64)
#undef USERMM_FIELD_SIZE
#undef USERMM_FIELD_CALLS
#define field_multiplier(field) ((field) & -(field))
#define field_mask(field) ((field) / field_multiplier(field))
#define field_max(field) ((__typeof__(field))field_mask(field))
#define field_prep(mask, value) \
	(((__typeof__(mask))(value) << (__builtin_ffsll(mask) - 1)) & (mask))
#define field_get(mask, word) \
	((__typeof__(mask))(((word) & (mask)) >> (__builtin_ffsll(mask) - 1)))

#endif
