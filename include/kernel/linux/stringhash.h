/* SPDX-License-Identifier: MIT */
/* Hashes of names, with the length in the upper half of a word. */
#ifndef KERNEL_LINUX_STRINGHASH_H
#define KERNEL_LINUX_STRINGHASH_H

#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/types.h>
#include <usermm/compiler.h>

#define init_name_hash(salt) ((unsigned long)(salt))

static inline unsigned long partial_name_hash(unsigned long c, unsigned long hash)
{
	return (hash + (c << 4) + (c >> 4)) * 11;
}

static inline unsigned int end_name_hash(unsigned long hash)
{
	return hash_long(hash, 32);
}

#define hashlen_hash(hashlen) ((u32)(hashlen))
#define hashlen_len(hashlen) ((u32)((hashlen) >> 32))
#define hashlen_create(hash, length) ((u64)(length) << 32 | (u32)(hash))

USERMM_BEGIN_DECLS

/* Both give the same hash of the same text and salt. */
unsigned int full_name_hash(const void *salt, const char *text, unsigned int length)
	USERMM_API(full_name_hash) __attribute__((pure));
u64 hashlen_string(const void *salt, const char *text) USERMM_API(hashlen_string)
	__attribute__((pure));

USERMM_END_DECLS

#endif
