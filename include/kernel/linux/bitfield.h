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

#endif
