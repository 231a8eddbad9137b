/* SPDX-License-Identifier: MIT */
/* Cleanup at the end of a scope: __free(), guard(), scoped_guard(). */
#ifndef KERNEL_LINUX_CLEANUP_H
#define KERNEL_LINUX_CLEANUP_H

#include <linux/compiler.h>

#define DEFINE_FREE(name, type, release)				\
	static __always_inline void __free_##name(void *p)		\
	{								\
		type _T = *(type *)p;					\
									\
		release;						\
	}
#define __free(name) __cleanup(__free_##name)
#define no_free_ptr(p)							\
	({								\
		__auto_type kept_ = (p);				\
									\
		(p) = NULL;						\
		kept_;							\
	})
#define return_ptr(p) return no_free_ptr(p)

#define DEFINE_CLASS(name, type, leave, enter, args...)			\
	typedef type class_##name##_t;					\
	static inline __maybe_unused void class_##name##_destructor(type *p) \
	{								\
		type _T = *p;						\
									\
		leave;							\
	}								\
	static inline __maybe_unused type class_##name##_constructor(args) \
	{								\
		type class_ = enter;					\
									\
		return class_;						\
	}
#define CLASS(name, var)						\
	class_##name##_t var __cleanup(class_##name##_destructor) =	\
		class_##name##_constructor

#define DEFINE_GUARD(name, type, lock, unlock)				\
	DEFINE_CLASS(name, type, if (_T) { unlock; }, ({ lock; _T; }), type _T)
#define DEFINE_LOCK_GUARD_1(name, type, enter, leave, fields...)	\
	typedef struct {						\
		type *lock;						\
		fields;							\
	} class_##name##_t;						\
	static inline __maybe_unused void				\
	class_##name##_destructor(class_##name##_t *_T)			\
	{								\
		leave;							\
	}								\
	static inline __maybe_unused class_##name##_t			\
	class_##name##_constructor(type *l)				\
	{								\
		class_##name##_t guard_ = { .lock = l }, *_T = &guard_;	\
									\
		enter;							\
		return guard_;						\
	}
#define DEFINE_LOCK_GUARD_0(name, enter, leave)				\
	typedef struct {						\
		int entered;						\
	} class_##name##_t;						\
	static inline __maybe_unused void				\
	class_##name##_destructor(class_##name##_t *_T)			\
	{								\
		(void)_T;						\
		leave;							\
	}								\
	static inline __maybe_unused class_##name##_t			\
	class_##name##_constructor(void)				\
	{								\
		enter;							\
		return (class_##name##_t){ 1 };				\
	}

#define guard(name) CLASS(name, __UNIQUE_ID(guard_))
#define scoped_guard(name, args...)					\
	for (int once_ = 1; once_; once_ = 0)				\
		for (CLASS(name, scope_)(args); once_; once_ = 0)

#endif
