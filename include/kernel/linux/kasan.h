/* SPDX-License-Identifier: MIT */
/* As without CONFIG_KASAN: no effect. */
#ifndef _LINUX_KASAN_H
#define _LINUX_KASAN_H

#include <asm/barrier.h>
#include <asm/div64.h>
#include <linux/align.h>
#include <linux/array_size.h>
#include <linux/container_of.h>
#include <linux/hex.h>
#include <linux/instruction_pointer.h>
#include <linux/kstrtox.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/pgtable.h>
#include <linux/sprintf.h>
#include <linux/static_key.h>
#include <linux/typecheck.h>
#include <linux/types.h>
#include <linux/wordpart.h>

#define kasan_enabled() false
#define kasan_enable_current() do { } while (0)
#define kasan_disable_current() do { } while (0)
#define kasan_reset_tag(addr) ((void *)(addr))
#define kasan_poison_pages(page, order, init) ((void)(page))
#define kasan_unpoison_pages(page, order, init) ((void)(page))
#define kasan_mempool_poison_object(ptr) ((void)(ptr), true)
#define kasan_mempool_unpoison_object(ptr, size) ((void)(ptr))
#define kasan_mempool_poison_pages(page, order) ((void)(page), (void)(order), true)
#define kasan_mempool_unpoison_pages(page, order) ((void)(page), (void)(order))
#define kasan_check_byte(addr) ((void)(addr), true)
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#define kasan_poison_object_data(cache, object) ((void)(object))
#define kasan_unpoison_object_data(cache, object) ((void)(object))
#else
USERMM_REMOVED(kasan_poison_object_data, "6.8", "kasan_poison_new_object()")
USERMM_REMOVED(kasan_unpoison_object_data, "6.8", "kasan_unpoison_new_object()")
#endif

#endif
