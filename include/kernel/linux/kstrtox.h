/* SPDX-License-Identifier: MIT */
/* Parse a whole text as a number; one newline may follow. Return 0, -EINVAL or -ERANGE. */
#ifndef KERNEL_LINUX_KSTRTOX_H
#define KERNEL_LINUX_KSTRTOX_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <usermm/compiler.h>

USERMM_BEGIN_DECLS

int kstrtoull(const char *text, unsigned int base, unsigned long long *result)
	USERMM_API(kstrtoull) __must_check;
int kstrtoll(const char *text, unsigned int base, long long *result)
	USERMM_API(kstrtoll) __must_check;
int kstrtoul(const char *text, unsigned int base, unsigned long *result)
	USERMM_API(kstrtoul) __must_check;
int kstrtol(const char *text, unsigned int base, long *result)
	USERMM_API(kstrtol) __must_check;
int kstrtouint(const char *text, unsigned int base, unsigned int *result)
	USERMM_API(kstrtouint) __must_check;
int kstrtoint(const char *text, unsigned int base, int *result)
	USERMM_API(kstrtoint) __must_check;
int kstrtou16(const char *text, unsigned int base, u16 *result)
	USERMM_API(kstrtou16) __must_check;
int kstrtos16(const char *text, unsigned int base, s16 *result)
	USERMM_API(kstrtos16) __must_check;
int kstrtou8(const char *text, unsigned int base, u8 *result)
	USERMM_API(kstrtou8) __must_check;
int kstrtos8(const char *text, unsigned int base, s8 *result)
	USERMM_API(kstrtos8) __must_check;
int kstrtobool(const char *text, bool *result) USERMM_API(kstrtobool) __must_check;
/*
 * A decimal number with a point, times 10 to the power of `scale` (Linux 7.3): "1.25" is 1250 with
 * a scale of 3. Digits beyond the scale are dropped.
 */
int kstrtoudec64(const char *text, unsigned int scale, u64 *result)
	USERMM_API(kstrtoudec64) __must_check;
int kstrtodec64(const char *text, unsigned int scale, s64 *result)
	USERMM_API(kstrtodec64) __must_check;

/* The text is memory of the calling program (uaccess.h); also -EFAULT. */
#define USERMM_KSTRTO_FROM_USER(name, type)					\
	int name##_from_user(const char __user *text, size_t n, unsigned int base, \
			     type *result) USERMM_API(name##_from_user) __must_check
USERMM_KSTRTO_FROM_USER(kstrtoull, unsigned long long);
USERMM_KSTRTO_FROM_USER(kstrtoll, long long);
USERMM_KSTRTO_FROM_USER(kstrtoul, unsigned long);
USERMM_KSTRTO_FROM_USER(kstrtol, long);
USERMM_KSTRTO_FROM_USER(kstrtouint, unsigned int);
USERMM_KSTRTO_FROM_USER(kstrtoint, int);
USERMM_KSTRTO_FROM_USER(kstrtou16, u16);
USERMM_KSTRTO_FROM_USER(kstrtos16, s16);
USERMM_KSTRTO_FROM_USER(kstrtou8, u8);
USERMM_KSTRTO_FROM_USER(kstrtos8, s8);
int kstrtobool_from_user(const char __user *text, size_t n, bool *result)
	USERMM_API(kstrtobool_from_user) __must_check;
#define kstrtou64_from_user kstrtoull_from_user
#define kstrtos64_from_user kstrtoll_from_user
#define kstrtou32_from_user kstrtouint_from_user
#define kstrtos32_from_user kstrtoint_from_user

#define kstrtou64 kstrtoull
#define kstrtos64 kstrtoll
#define kstrtou32 kstrtouint
#define kstrtos32 kstrtoint

/* Parse the number at the beginning of the text; *end is where it ends. */
unsigned long long simple_strtoull(const char *text, char **end, unsigned int base)
	USERMM_API(simple_strtoull);
long long simple_strtoll(const char *text, char **end, unsigned int base)
	USERMM_API(simple_strtoll);
unsigned long simple_strtoul(const char *text, char **end, unsigned int base)
	USERMM_API(simple_strtoul);
long simple_strtol(const char *text, char **end, unsigned int base)
	USERMM_API(simple_strtol);
/* Parses a size with an optional suffix K, M, G, T, P or E. */
unsigned long long memparse(const char *text, char **end) USERMM_API(memparse);

USERMM_END_DECLS

#endif
