/* SPDX-License-Identifier: MIT */
/*
 * Memory of user programs. In an operation on a file it is the memory of the program that called
 * it, wherever that runs (kernel/files/user_memory.c). Elsewhere there is no program, and an
 * address is one of this process.
 */
#ifndef KERNEL_LINUX_UACCESS_H
#define KERNEL_LINUX_UACCESS_H

#include <asm/tlbflush.h>
#include <linux/minmax.h>
#include <linux/mm_types.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/version.h>
#include <usermm/compiler.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 0, 0)
#define VERIFY_READ 0
#define VERIFY_WRITE 1
/* (VERIFY_READ or VERIFY_WRITE, address, size) up to 4.20, (address, size) later. */
#define access_ok(type, address, size) ((void)(type), usermm_access_ok(address, size))
#else
#define access_ok(address, size) usermm_access_ok(address, size)
#endif
/* False only for the kernel's half. An address without memory gives -EFAULT when it is used. */
#define usermm_access_ok(address, size) \
	((unsigned long)(size) <= TASK_SIZE_MAX && \
	 (unsigned long)(address) <= TASK_SIZE_MAX - (unsigned long)(size))
#define TASK_SIZE_MAX (~0UL >> 1)

USERMM_BEGIN_DECLS

/* Each returns the number of bytes, at the end, that could not be copied or cleared. */
unsigned long copy_from_user(void *to, const void __user *from, unsigned long n)
	USERMM_API(copy_from_user);
unsigned long copy_to_user(void __user *to, const void *from, unsigned long n)
	USERMM_API(copy_to_user);
unsigned long clear_user(void __user *to, unsigned long n) USERMM_API(clear_user);
/* The text's length, n if it is longer, or -EFAULT. */
long strncpy_from_user(char *to, const char __user *from, long n) USERMM_API(strncpy_from_user);
/* The text's length with its end; more than n if it is longer; 0 if it is not accessible. */
long strnlen_user(const char __user *text, long n) USERMM_API(strnlen_user);
/* 1 if the bytes are all 0, else 0; or -EFAULT. */
int check_zeroed_user(const void __user *from, size_t n) USERMM_API(check_zeroed_user);
/* 0, or -EFAULT if one of the bytes is not accessible. */
long copy_from_kernel_nofault(void *to, const void *from, size_t n)
	USERMM_API(copy_from_kernel_nofault);
long copy_to_kernel_nofault(void *to, const void *from, size_t n)
	USERMM_API(copy_to_kernel_nofault);

USERMM_END_DECLS

#define _copy_from_user(to, from, n) copy_from_user(to, from, n)
#define _copy_to_user(to, from, n) copy_to_user(to, from, n)
#define __copy_from_user(to, from, n) copy_from_user(to, from, n)
#define __copy_to_user(to, from, n) copy_to_user(to, from, n)
#define __copy_from_user_inatomic(to, from, n) copy_from_user(to, from, n)
#define __copy_to_user_inatomic(to, from, n) copy_to_user(to, from, n)
#define __copy_from_user_inatomic_nocache(to, from, n) copy_from_user(to, from, n)
#define __copy_from_user_nocache(to, from, n) copy_from_user(to, from, n)
#define raw_copy_from_user(to, from, n) copy_from_user(to, from, n)
#define raw_copy_to_user(to, from, n) copy_to_user(to, from, n)
#define copy_from_user_nofault(to, from, n) (copy_from_user(to, from, n) ? -EFAULT : 0)
#define copy_to_user_nofault(to, from, n) (copy_to_user(to, from, n) ? -EFAULT : 0)
#define strncpy_from_user_nofault(to, from, n) strncpy_from_user(to, from, n)
#define __clear_user(to, n) clear_user(to, n)
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 13, 0)
#define strlen_user(text) strnlen_user(text, LONG_MAX)
#else
USERMM_REMOVED(strlen_user, "4.13", "strnlen_user()")
#endif

/*
 * Copies a structure of another version of the source. Bytes that it lacks become 0. -E2BIG if it
 * has further bytes that are not 0.
 */
static inline int copy_struct_from_user(void *to, size_t size, const void __user *from,
					size_t user_size)
{
	size_t n = min(size, user_size);
	int zeroed;

	if (user_size > size) {
		zeroed = check_zeroed_user((const char __user *)from + size, user_size - size);
		if (zeroed <= 0)
			return zeroed ? zeroed : -E2BIG;
	}
	memset((char *)to + n, 0, size - n);
	return copy_from_user(to, from, n) ? -EFAULT : 0;
}

static inline int copy_struct_to_user(void __user *to, size_t user_size, const void *from,
				      size_t size, bool *ignored_trailing)
{
	size_t n = min(size, user_size);

	if (user_size > size && clear_user((char __user *)to + n, user_size - n))
		return -EFAULT;
	if (ignored_trailing) {
		*ignored_trailing = false;
		for (size_t i = n; i < size; i++)
			*ignored_trailing |= ((const char *)from)[i] != 0;
	}
	return copy_to_user(to, from, n) ? -EFAULT : 0;
}

/* 0 or -EFAULT; x is 0 after an error. */
#define get_user(x, ptr)						\
	({								\
		__typeof__((ptr) + 0) get_from_ = (ptr);		\
		__typeof__(*get_from_ + 0) get_value_ = 0;		\
		union {							\
			__typeof__(*get_from_) value;			\
			char bytes[sizeof(*get_from_)];			\
		} get_;							\
		int get_error_ = copy_from_user(get_.bytes, get_from_,	\
						sizeof(get_)) ? -EFAULT : 0; \
									\
		if (!get_error_)					\
			get_value_ = get_.value;			\
		(x) = (__typeof__(*get_from_))get_value_;		\
		get_error_;						\
	})
#define put_user(x, ptr)						\
	({								\
		__typeof__((ptr) + 0) put_to_ = (ptr);			\
		union {							\
			__typeof__(*put_to_) value;			\
			char bytes[sizeof(*put_to_)];			\
		} put_ = { (__typeof__(*put_to_))(x) };			\
									\
		copy_to_user((void __user *)put_to_, put_.bytes, sizeof(put_)) ? -EFAULT : 0; \
	})
#define __get_user(x, ptr) get_user(x, ptr)
#define __put_user(x, ptr) put_user(x, ptr)
#define user_access_begin(ptr, n) access_ok(ptr, n)
#define user_access_end() ((void)0)
#define user_read_access_begin(ptr, n) access_ok(ptr, n)
#define user_read_access_end() ((void)0)
#define user_write_access_begin(ptr, n) access_ok(ptr, n)
#define user_write_access_end() ((void)0)
#define unsafe_get_user(x, ptr, label) do { if (get_user(x, ptr)) goto label; } while (0)
#define unsafe_put_user(x, ptr, label) do { if (put_user(x, ptr)) goto label; } while (0)
#define untagged_addr(address) (address)
#define get_kernel_nofault(x, ptr) copy_from_kernel_nofault(&(x), ptr, sizeof(x))
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 8, 0)
#define probe_kernel_read(to, from, n) copy_from_kernel_nofault(to, from, n)
#define probe_kernel_write(to, from, n) copy_to_kernel_nofault(to, from, n)
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 10, 0)
typedef struct {
	unsigned long seg;
} mm_segment_t;

/* Each address is reachable anyway. */
#define KERNEL_DS ((mm_segment_t){ ~0UL })
#define USER_DS ((mm_segment_t){ TASK_SIZE_MAX })
#define get_ds() KERNEL_DS
#define get_fs() USER_DS
#define set_fs(segment) ((void)(segment))
#endif
#define pagefault_disable() ((void)0)
#define pagefault_enable() ((void)0)
/* No page fault sleeps here. */
#define pagefault_disabled() true
#define faulthandler_disabled() true

#endif
