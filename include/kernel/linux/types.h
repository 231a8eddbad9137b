/* SPDX-License-Identifier: MIT */
/*
 * The kernel's integer types, and the structures that everything embeds.
 *
 * The __u8 types and their byte-ordered variants come from the system's linux/types.h, so that a
 * source may include headers of the user-space API, too. If this header's guard is defined already,
 * glibc's <sys/kd.h> is being read, which wants no types.
 */
#if !defined(KERNEL_LINUX_TYPES_H) && !defined(_LINUX_TYPES_H)
#define KERNEL_LINUX_TYPES_H

#include <linux/version.h>
#include <stdbool.h>
#include <stddef.h>

/* Where user space has long for 64 bits (ppc64), this asks for the kernel's own types. */
#ifndef __SANE_USERSPACE_TYPES__
#define __SANE_USERSPACE_TYPES__
#endif
#include_next <linux/types.h>

/*
 * In the kernel 64-bit types are long long, and sources print them with %ll. The other types come
 * from libc's <stdint.h>. If a source has included that header before, libc's types stay.
 */
#if !defined(_BITS_STDINT_UINTN_H) && !defined(__DEFINED_uint64_t)
#define _BITS_STDINT_UINTN_H 1		/* glibc's */
#define __DEFINED_uint64_t		/* musl's */
typedef __u8 uint8_t;
typedef __u16 uint16_t;
typedef __u32 uint32_t;
typedef __u64 uint64_t;
#endif
#if !defined(_BITS_STDINT_INTN_H) && !defined(__DEFINED_int64_t)
#define _BITS_STDINT_INTN_H 1
#define __DEFINED_int64_t
typedef __s8 int8_t;
typedef __s16 int16_t;
typedef __s32 int32_t;
typedef __s64 int64_t;
#endif

#include <stdint.h>

#include <linux/compiler.h>
#include <linux/kconfig.h>
#include <usermm/list.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;

#define aligned_u64 __aligned_u64
#define aligned_be64 __aligned_be64
#define aligned_le64 __aligned_le64

typedef unsigned char u_char, unchar;
typedef unsigned short u_short, ushort;
typedef unsigned int u_int, uint;
typedef unsigned long u_long, ulong;
typedef unsigned __int128 u128;
typedef __int128 s128;

/* The same types as in libc, so that a source may include both headers. */
typedef long ssize_t;
typedef long ptrdiff_t;
typedef int pid_t;
typedef unsigned int uid_t, gid_t;
typedef unsigned int mode_t;
typedef unsigned long dev_t;
typedef unsigned long ino_t;
typedef long off_t;
typedef long loff_t;
typedef long time_t;
typedef int clockid_t;
typedef unsigned short umode_t;

typedef u64 phys_addr_t, dma_addr_t, resource_size_t;
typedef u64 sector_t;
typedef long blkcnt_t;
typedef unsigned long pgoff_t;
typedef unsigned int fmode_t;
typedef unsigned int gfp_t;
typedef unsigned int slab_flags_t;
typedef unsigned long irq_hw_number_t;
typedef unsigned long long cycles_t;
typedef s64 ktime_t;
typedef s64 time64_t;

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	s64 counter __attribute__((aligned(8)));
} atomic64_t;

#define ATOMIC_INIT(value) { (value) }
#define ATOMIC64_INIT(value) { (value) }

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

typedef unsigned long long ullong;
typedef __u32 __wsum;
typedef __u16 __sum16;

/* A callback that waits for a grace period (RCU) or for its turn to run. */
struct callback_head {
	struct callback_head *next;
	void (*func)(struct callback_head *head);
} __attribute__((aligned(sizeof(void *))));

#define rcu_head callback_head
/* What kfree_rcu() needs of a struct rcu_head. */
struct kvfree_rcu_head {
	struct rcu_head head;
};

typedef void (*rcu_callback_t)(struct rcu_head *head);
typedef void (*call_rcu_func_t)(struct rcu_head *head, rcu_callback_t func);
typedef void (*swap_func_t)(void *a, void *b, int size);
typedef int (*cmp_func_t)(const void *a, const void *b);
typedef int (*cmp_r_func_t)(const void *a, const void *b, const void *priv);
typedef void (*swap_r_func_t)(void *a, void *b, int size, const void *priv);

#define DECLARE_BITMAP(name, bits) \
	unsigned long name[((bits) + 8 * sizeof(long) - 1) / (8 * sizeof(long))]

typedef struct {
	unsigned long f;
} memdesc_flags_t;
/* The flags of a page or folio as a word: flags up to Linux 6.17, flags.f since then. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0) && !defined(USERMM_KERNEL_LAYER) && \
	!defined(USERMM_PAGE_FLAGS)
#define USERMM_PAGE_FLAGS memdesc_flags_t
#define USERMM_FLAGS_OF(page) ((page)->flags.f)
#else
#define USERMM_FLAGS_OF(page) ((page)->flags)
#endif

#endif
