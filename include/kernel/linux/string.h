/* SPDX-License-Identifier: MIT */
/* libc's functions on text and memory, and the kernel's own. */
#ifndef KERNEL_LINUX_STRING_H
#define KERNEL_LINUX_STRING_H

#include <linux/array_size.h>
#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/gfp_types.h>
#include <linux/jump_label.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/stdarg.h>
#include <linux/stringify.h>
#include <linux/types.h>
#include <usermm/compiler.h>

USERMM_BEGIN_DECLS

/*
 * libc's functions. They are declared here, since libc's header has more names than kernel sources
 * expect. The names are in parentheses since libc may have macros of these names (glibc from 2.43
 * on).
 */
void *(memcpy)(void *restrict to, const void *restrict from, size_t n);
void *(memmove)(void *to, const void *from, size_t n);
void *(memset)(void *to, int byte, size_t n);
int (memcmp)(const void *a, const void *b, size_t n);
/*
 * Kernel sources compare memory that others may be writing. "Equal" must then be true for the bytes
 * that were read. libc's function may read a byte twice, and so call two areas equal that never
 * were.
 */
int usermm_memcmp(const void *a, const void *b, size_t n);
#undef memcmp
#define memcmp(a, b, n) usermm_memcmp(a, b, n)
void *(memchr)(const void *memory, int byte, size_t n);
size_t (strlen)(const char *text);
size_t (strnlen)(const char *text, size_t n);
char *(strcpy)(char *restrict to, const char *restrict from);
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)
char *(strncpy)(char *restrict to, const char *restrict from, size_t n);
#else
#undef strncpy
#define strncpy usermm_removed_strncpy
USERMM_REMOVED(strncpy, "7.2", "strscpy()")
#endif
char *(strcat)(char *restrict to, const char *restrict from);
char *(strncat)(char *restrict to, const char *restrict from, size_t n);
int (strcmp)(const char *a, const char *b);
int (strncmp)(const char *a, const char *b, size_t n);
int (strcasecmp)(const char *a, const char *b);
int (strncasecmp)(const char *a, const char *b, size_t n);
char *(strchr)(const char *text, int c);
char *(strchrnul)(const char *text, int c);
char *(strrchr)(const char *text, int c);
char *(strstr)(const char *text, const char *part);
size_t (strspn)(const char *text, const char *accept);
size_t (strcspn)(const char *text, const char *reject);
char *(strpbrk)(const char *text, const char *accept);
char *(strsep)(char **restrict text, const char *restrict delimiters);

/* Some versions of libc have these functions, so ours have other names. */
#undef strlcpy
#undef strlcat
#define strlcpy usermm_kernel_strlcpy
#define strlcat usermm_kernel_strlcat
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0) || defined(USERMM_KERNEL_LAYER)
size_t strlcpy(char *to, const char *from, size_t size)
	__attribute__((visibility("default")));
#else
#undef strlcpy
#define strlcpy usermm_removed_strlcpy
USERMM_REMOVED(strlcpy, "6.8", "strscpy()")
#endif
size_t strlcat(char *to, const char *from, size_t size)
	__attribute__((visibility("default")));

/* Returns the length copied, or -E2BIG if the text did not fit. Always writes a final 0. */
ssize_t usermm_strscpy(char *to, const char *from, size_t size)
	__attribute__((visibility("default")));
ssize_t usermm_strscpy_pad(char *to, const char *from, size_t size)
	__attribute__((visibility("default")));

#define KERNEL_STRSCPY_3(to, from, size) usermm_strscpy(to, from, size)
#define KERNEL_STRSCPY_2(to, from) usermm_strscpy(to, from, sizeof(to))
#define KERNEL_STRSCPY(a, b, c, pick, ...) pick
/* The size may be left out if the target is an array. */
#define strscpy(args...) \
	KERNEL_STRSCPY(args, KERNEL_STRSCPY_3, KERNEL_STRSCPY_2, )(args)
#define KERNEL_STRSCPY_PAD_3(to, from, size) usermm_strscpy_pad(to, from, size)
#define KERNEL_STRSCPY_PAD_2(to, from) usermm_strscpy_pad(to, from, sizeof(to))
/* strscpy() that also fills the rest of the target with zeros. */
#define strscpy_pad(args...) \
	KERNEL_STRSCPY(args, KERNEL_STRSCPY_PAD_3, KERNEL_STRSCPY_PAD_2, )(args)

/* The first byte that differs from `byte`, or NULL. */
void *memchr_inv(const void *memory, int byte, size_t n) USERMM_API(memchr_inv);
void *memscan(void *memory, int byte, size_t n) USERMM_API(memscan);
char *strnchr(const char *text, size_t n, int c) USERMM_API(strnchr);
char *strnstr(const char *text, const char *part, size_t n) USERMM_API(strnstr);
char *strreplace(char *text, char old, char new) USERMM_API(strreplace);
char *skip_spaces(const char *text) USERMM_API(skip_spaces) __must_check;
/* Removes spaces at both ends of the text. */
char *strim(char *text) USERMM_API(strim);
/* Are the texts equal, apart from a newline at the end? */
bool sysfs_streq(const char *a, const char *b) USERMM_API(sysfs_streq);
int match_string(const char *const *array, size_t n, const char *text) USERMM_API(match_string);
int __sysfs_match_string(const char *const *array, size_t n, const char *text)
	USERMM_API(__sysfs_match_string);
#define sysfs_match_string(array, text) __sysfs_match_string(array, ARRAY_SIZE(array), text)
void memzero_explicit(void *memory, size_t n) USERMM_API(memzero_explicit);
const char *kbasename(const char *path) USERMM_API(kbasename);

/* Copies in kmalloc() memory; NULL without memory. */
char *kstrdup(const char *text, gfp_t gfp) USERMM_API(kstrdup);
char *kstrndup(const char *text, size_t max, gfp_t gfp) USERMM_API(kstrndup);
const char *kstrdup_const(const char *text, gfp_t gfp) USERMM_API(kstrdup_const);
void kfree_const(const void *text) USERMM_API(kfree_const);
void *kmemdup(const void *from, size_t n, gfp_t gfp) USERMM_API(kmemdup);
char *kmemdup_nul(const char *from, size_t n, gfp_t gfp) USERMM_API(kmemdup_nul);
void *kmemdup_array(const void *from, size_t n, size_t size, gfp_t gfp)
	USERMM_API(kmemdup_array);
/* A copy in kvmalloc() memory. */
void *kvmemdup(const void *from, size_t n, gfp_t gfp) USERMM_API(kvmemdup);

/*
 * Copies of memory of the calling program (uaccess.h), the second with a final 0, the third by
 * kvmalloc(); or an error pointer. strndup_user(): -EINVAL for a text of n bytes or more.
 */
void *memdup_user(const void __user *from, size_t n) USERMM_API(memdup_user);
void *memdup_user_nul(const void __user *from, size_t n) USERMM_API(memdup_user_nul);
void *vmemdup_user(const void __user *from, size_t n) USERMM_API(vmemdup_user);
char *strndup_user(const char __user *text, long n) USERMM_API(strndup_user);
#define memdup_array_user(from, n, size) memdup_user(from, size_mul(n, size))
#define vmemdup_array_user(from, n, size) vmemdup_user(from, size_mul(n, size))

USERMM_END_DECLS

/* Joins two arrays that end in NULL. Defined in the kernel's lib/memcat_p.c. */
void **__memcat_p(void **a, void **b);
#define memcat_p(a, b) ((__typeof__(*(a)) *)__memcat_p((void **)(a), (void **)(b)))

/* Between a text and an array of bytes without a final 0: fills up with `pad`, or not at all. */
#define strtomem_pad(to, from, pad)					\
	do {								\
		const size_t strtomem_n_ = sizeof(to);			\
		const size_t strtomem_length_ = strnlen(from, strtomem_n_); \
									\
		memcpy(to, from, strtomem_length_);			\
		memset((char *)(to) + strtomem_length_, pad, strtomem_n_ - strtomem_length_); \
	} while (0)
#define strtomem(to, from) memcpy(to, from, strnlen(from, sizeof(to)))
/* The text has a final 0, and memtostr_pad() fills up with zeroes. */
#define memtostr(to, from)						\
	do {								\
		const size_t memtostr_n_ = strnlen(from, min_t(size_t, sizeof(from), \
							       sizeof(to) - 1)); \
									\
		memcpy(to, from, memtostr_n_);				\
		(to)[memtostr_n_] = '\0';				\
	} while (0)
#define memtostr_pad(to, from)						\
	do {								\
		const size_t memtostr_n_ = strnlen(from, min_t(size_t, sizeof(from), \
							       sizeof(to) - 1)); \
									\
		memcpy(to, from, memtostr_n_);				\
		memset((to) + memtostr_n_, 0, sizeof(to) - memtostr_n_); \
	} while (0)

#define strstrip(text) strim(text)

static inline bool strstarts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The prefix's length if text begins with it, else 0. */
static inline size_t str_has_prefix(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(text, prefix, length) == 0 ? length : 0;
}

#define MEMSET_WORDS(bits, type)					\
	static inline type *memset##bits(type *to, type value, size_t n) \
	{								\
		for (size_t i = 0; i < n; i++)				\
			to[i] = value;					\
		return to;						\
	}
MEMSET_WORDS(16, u16)
MEMSET_WORDS(32, u32)
MEMSET_WORDS(64, u64)
#undef MEMSET_WORDS

static inline void memset_l(unsigned long *to, unsigned long value, size_t n)
{
	memset64((u64 *)to, value, n);
}

static inline void memset_p(void **to, void *value, size_t n)
{
	memset64((u64 *)to, (unsigned long)value, n);
}

#define memset_startat(object, byte, member)				\
	((void)memset((u8 *)(object) + offsetof(__typeof__(*(object)), member), byte, \
		      sizeof(*(object)) - offsetof(__typeof__(*(object)), member)))
#define memset_after(object, byte, member)				\
	((void)memset((u8 *)(object) + offsetofend(__typeof__(*(object)), member), byte, \
		      sizeof(*(object)) - offsetofend(__typeof__(*(object)), member)))
#define memcpy_and_pad(to, size, from, n, pad)				\
	do {								\
		memset(to, pad, size);					\
		memcpy(to, from, (n) < (size) ? (n) : (size));		\
	} while (0)

#include <linux/stddef.h>

static inline bool mem_is_zero(const void *memory, size_t n)
{
	return !memchr_inv(memory, 0, n);
}

static inline bool strends(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length >= end_length && !strcmp(text + length - end_length, end);
}

#endif
