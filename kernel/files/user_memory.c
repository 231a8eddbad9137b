// SPDX-License-Identifier: MIT
/*
 * Memory of user programs: see linux/uaccess.h.
 *
 * While a task carries out a program's operation, it has that program's memory (user_memory_set()),
 * and every copy asks the program (serve.c). Otherwise an address is one of this process. Then only
 * the first page and the kernel's half are refused: what else is not mapped is a crash, which names
 * the caller.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "files.h"

#define NUMBER_BYTES 66		/* binary, with a sign and an end */

struct user_memory *user_memory_set(struct user_memory *user)
{
	struct user_memory *before = current->usermm_user;

	current->usermm_user = user;
	return before;
}

static bool is_user_address(const void *address, unsigned long n)
{
	return (unsigned long)address >= PAGE_SIZE && access_ok(address, n);
}

unsigned long copy_from_user(void *to, const void __user *from, unsigned long n)
{
	struct user_memory *user = current->usermm_user;
	unsigned long left = n;

	if (!n)
		return 0;
	if (is_user_address(from, n)) {
		if (user) {
			left = user->read(user, to, (unsigned long)from, n);
		} else {
			memcpy(to, from, n);
			left = 0;
		}
	}
	/* The kernel clears what it could not copy, so that old content does not leak. */
	memset((char *)to + (n - left), 0, left);
	return left;
}

unsigned long copy_to_user(void __user *to, const void *from, unsigned long n)
{
	struct user_memory *user = current->usermm_user;

	if (!n)
		return 0;
	if (!is_user_address(to, n))
		return n;
	if (user)
		return user->write(user, (unsigned long)to, from, n);
	memcpy(to, from, n);
	return 0;
}

unsigned long clear_user(void __user *to, unsigned long n)
{
	static const char zeroes[256];

	while (n) {
		unsigned long part = min(n, (unsigned long)sizeof(zeroes));
		unsigned long left = copy_to_user(to, zeroes, part);

		if (left)
			return n - part + left;
		to = (char __user *)to + part;
		n -= part;
	}
	return 0;
}

/* In pieces that end with a page, since the next one need not be there. */
long strncpy_from_user(char *to, const char __user *from, long n)
{
	long done = 0;

	while (done < n) {
		long piece = (long)(PAGE_SIZE - ((unsigned long)from + (unsigned long)done) %
						PAGE_SIZE), length;

		piece = min(piece, n - done);
		if (copy_from_user(to + done, from + done, (unsigned long)piece))
			return -EFAULT;
		length = (long)strnlen(to + done, (size_t)piece);
		done += length;
		if (length < piece)
			break;
	}
	return done;
}

long strnlen_user(const char __user *text, long n)
{
	long length = 0;

	while (length < n) {
		char piece[64];
		long part = (long)(sizeof(piece) - ((unsigned long)text + (unsigned long)length) %
						   sizeof(piece)), found;

		if (copy_from_user(piece, text + length, (unsigned long)part))
			return 0;
		found = (long)strnlen(piece, (size_t)part);
		length += found;
		if (found < part)
			return length < n ? length + 1 : n + 1;
	}
	return n + 1;
}

int check_zeroed_user(const void __user *from, size_t n)
{
	while (n) {
		char piece[64];
		size_t part = min(n, sizeof(piece));

		if (copy_from_user(piece, from, part))
			return -EFAULT;
		for (size_t i = 0; i < part; i++)
			if (piece[i])
				return 0;
		from = (const char __user *)from + part;
		n -= part;
	}
	return 1;
}

static void *copy_of(void *copy, const void __user *from, size_t n)
{
	if (!copy)
		return ERR_PTR(-ENOMEM);
	if (!copy_from_user(copy, from, n))
		return copy;
	kvfree(copy);
	return ERR_PTR(-EFAULT);
}

void *memdup_user(const void __user *from, size_t n)
{
	return copy_of(kmalloc(n, GFP_USER | __GFP_NOWARN), from, n);
}

void *vmemdup_user(const void __user *from, size_t n)
{
	return copy_of(kvmalloc(n, GFP_USER), from, n);
}

void *memdup_user_nul(const void __user *from, size_t n)
{
	char *copy = copy_of(kmalloc(n + 1, GFP_KERNEL), from, n);

	if (!IS_ERR(copy))
		copy[n] = '\0';
	return copy;
}

char *strndup_user(const char __user *text, long n)
{
	long length = strnlen_user(text, n);
	char *copy;

	if (!length)
		return ERR_PTR(-EFAULT);
	if (length > n)
		return ERR_PTR(-EINVAL);
	copy = memdup_user(text, (size_t)length);
	if (!IS_ERR(copy))
		copy[length - 1] = '\0';
	return copy;
}

#define FROM_USER(name, type)							\
int name##_from_user(const char __user *text, size_t n, unsigned int base, type *result) \
{										\
	char copy[NUMBER_BYTES];						\
										\
	n = min(n, sizeof(copy) - 1);						\
	if (copy_from_user(copy, text, n))					\
		return -EFAULT;							\
	copy[n] = '\0';								\
	return name(copy, base, result);					\
}

FROM_USER(kstrtoull, unsigned long long)
FROM_USER(kstrtoll, long long)
FROM_USER(kstrtoul, unsigned long)
FROM_USER(kstrtol, long)
FROM_USER(kstrtouint, unsigned int)
FROM_USER(kstrtoint, int)
FROM_USER(kstrtou16, u16)
FROM_USER(kstrtos16, s16)
FROM_USER(kstrtou8, u8)
FROM_USER(kstrtos8, s8)

int kstrtobool_from_user(const char __user *text, size_t n, bool *result)
{
	char copy[4];		/* the longest are "off" and its like */

	n = min(n, sizeof(copy) - 1);
	if (copy_from_user(copy, text, n))
		return -EFAULT;
	copy[n] = '\0';
	return kstrtobool(copy, result);
}
