/* SPDX-License-Identifier: MIT */
/* Markers for the kernel's own checkers, and macros about types. */
#ifndef KERNEL_LINUX_COMPILER_TYPES_H
#define KERNEL_LINUX_COMPILER_TYPES_H

#include <linux/compiler_attributes.h>

#define __user
#define __kernel
#define __iomem
#define __percpu
#define __rcu
#define __safe
#define __force
#define __nocast
#define __private
#define __bitwise_kernel
#define __must_hold(lock)
/* For static checkers, which usermm does not use. */
#define __acquires_shared(...)
#define __releases_shared(...)
#define __try_acquires(...)
#define __cond_acquires_shared(...)
#define __must_hold_shared(...)
#define __guarded_by(...)
#define __pt_guarded_by(...)
#define __no_context_analysis
#define __context_unsafe(why)
#define context_unsafe(statements...) ({ statements; })
#define __acquires(lock)
#define __releases(lock)
#define __acquire(lock) ((void)0)
#define __release(lock) ((void)0)
#define __cond_lock(lock, condition) (condition)
#define __cond_acquires(lock)
#define __chk_user_ptr(ptr) ((void)(ptr))
#define __chk_io_ptr(ptr) ((void)(ptr))

#define notrace __attribute__((__no_instrument_function__))
#define noinstr noinline notrace
#define noinline_for_stack noinline
#define asmlinkage
#define __designated_init
#define __latent_entropy
#define __randomize_layout
#define __no_randomize_layout
#define randomized_struct_fields_start
#define randomized_struct_fields_end
#define __nocfi
#define __noscs
#define __no_kcsan
#define __no_sanitize_or_inline __always_inline

#define __same_type(a, b) __builtin_types_compatible_p(__typeof__(a), __typeof__(b))
#define __must_be_array(a) \
	(sizeof(struct { int : (__same_type((a), &(a)[0]) ? -1 : 0); }) * 0)

#define __inline_maybe_unused inline __maybe_unused
/* A function that is only ever inline can be called out of line, too, as in gnu89. */
#if defined(__KERNEL__) && !defined(__cplusplus)
#define inline inline __attribute__((__gnu_inline__, __unused__))
#endif
#define __compiletime_object_size(object) __builtin_object_size(object, 0)

/* The type without its qualifiers. */
#define __unqual_typeof(x) __typeof__((void)0, (x))
#define __unqual_scalar_typeof(x) __unqual_typeof(x)

#endif
