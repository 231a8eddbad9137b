/* SPDX-License-Identifier: MIT */
/*
 * Cleanup at the end of a scope: __free(), guard(), scoped_guard(), and guards that may fail to
 * take their lock: scoped_cond_guard(), ACQUIRE().
 */
#ifndef KERNEL_LINUX_CLEANUP_H
#define KERNEL_LINUX_CLEANUP_H

#include <linux/args.h>
#include <linux/compiler.h>
#include <linux/err.h>

#define DEFINE_FREE(name, type, release)				\
	static __always_inline void __free_##name(void *p)		\
	{								\
		type _T = *(type *)p;					\
									\
		release;						\
	}
#define __free(name) __cleanup(__free_##name)
#define __get_and_null(p, null)						\
	({								\
		__auto_type place_ = &(p);				\
		__auto_type kept_ = *place_;				\
									\
		*place_ = null;						\
		kept_;							\
	})
#define no_free_ptr(p) ((__typeof__(p))__get_and_null(p, NULL))
#define return_ptr(p) return no_free_ptr(p)
#define retain_and_null_ptr(p) ((void)__get_and_null(p, NULL))

/* `leave` sees the object as _T. */
#define DEFINE_CLASS(name, type, leave, enter, args...)			\
	typedef type class_##name##_t;					\
	typedef type lock_##name##_t;					\
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
/* Another way to enter the class, which is left in the same way. */
#define EXTEND_CLASS(name, extension, enter, args...)			\
	USERMM_EXTEND_CLASS(name, extension, false, enter, args)
#define USERMM_EXTEND_CLASS(name, extension, is_left_alone, enter, args...) \
	typedef class_##name##_t class_##name##extension##_t;		\
	typedef lock_##name##_t lock_##name##extension##_t;		\
	static inline __maybe_unused void				\
	class_##name##extension##_destructor(class_##name##_t *_T)	\
	{								\
		if (!(is_left_alone))					\
			class_##name##_destructor(_T);			\
	}								\
	static inline __maybe_unused class_##name##_t			\
	class_##name##extension##_constructor(args)			\
	{								\
		class_##name##_t class_ = enter;			\
									\
		return class_;						\
	}
#define CLASS(name, var)						\
	class_##name##_t var __cleanup(class_##name##_destructor) =	\
		class_##name##_constructor
#define CLASS_INIT(name, var, value) \
	class_##name##_t var __cleanup(class_##name##_destructor) = (value)
#define scoped_class(name, var, args...)				\
	for (CLASS(name, var)(args), *scoped_done_ = NULL; !scoped_done_; \
	     scoped_done_ = (void *)1)

/*
 * The lock that a guard holds: NULL if none, or -errno as a pointer. A guard is conditional if it
 * may hold none.
 */
#define USERMM_GUARD_IS(name, is_conditional, lock_value)		\
	static __maybe_unused const bool class_##name##_is_conditional = is_conditional; \
	static inline __maybe_unused void *class_##name##_lock_ptr(class_##name##_t *_T) \
	{								\
		void *lock_ = (void *)(unsigned long)(lock_value);	\
									\
		return IS_ERR(lock_) ? NULL : lock_;			\
	}								\
	static inline __maybe_unused int class_##name##_lock_err(class_##name##_t *_T) \
	{								\
		unsigned long lock_ = (unsigned long)(lock_value);	\
									\
		return !lock_ ? -EBUSY : IS_ERR_VALUE(lock_) ? (int)lock_ : 0; \
	}
#define DEFINE_CLASS_IS_GUARD(name) USERMM_GUARD_IS(name, false, *_T)
#define DEFINE_CLASS_IS_COND_GUARD(name) USERMM_GUARD_IS(name, true, *_T)

#define DEFINE_GUARD(name, type, lock, unlock)				\
	DEFINE_CLASS(name, type, if (_T) { unlock; }, ({ lock; _T; }), type _T) \
	DEFINE_CLASS_IS_GUARD(name)
/* The lock is held if `condition` is true of _RET, what `lock` returned. */
#define DEFINE_GUARD_COND_4(name, extension, lock, condition)		\
	USERMM_EXTEND_CLASS(name, extension, IS_ERR_OR_NULL((void *)(unsigned long)*_T), \
		({							\
			void *taken_ = (void *)(unsigned long)_T;	\
			int _RET = (lock);				\
									\
			if (_T && !(condition))				\
				taken_ = ERR_PTR(_RET);			\
			(class_##name##_t)(unsigned long)taken_;	\
		}), class_##name##_t _T)				\
	USERMM_GUARD_IS(name##extension, true, *_T)
#define DEFINE_GUARD_COND_3(name, extension, lock) \
	DEFINE_GUARD_COND_4(name, extension, lock, _RET)
#define DEFINE_GUARD_COND(args...) CONCATENATE(DEFINE_GUARD_COND_, COUNT_ARGS(args))(args)

#define USERMM_LOCK_GUARD(name, type, leave, fields...)			\
	typedef type lock_##name##_t;					\
	typedef struct {						\
		type *lock;						\
		fields;							\
	} class_##name##_t;						\
	static inline __maybe_unused void				\
	class_##name##_destructor(class_##name##_t *_T)			\
	{								\
		leave;							\
	}								\
	USERMM_GUARD_IS(name, false, _T->lock)
#define DEFINE_LOCK_GUARD_1(name, type, enter, leave, fields...)	\
	USERMM_LOCK_GUARD(name, type, leave, fields)			\
	static inline __maybe_unused class_##name##_t			\
	class_##name##_constructor(type *l)				\
	{								\
		class_##name##_t guard_ = { .lock = l }, *_T = &guard_;	\
									\
		enter;							\
		return guard_;						\
	}
#define DEFINE_LOCK_GUARD_0(name, enter, leave, fields...)		\
	USERMM_LOCK_GUARD(name, void, (void)_T; leave, fields)		\
	static inline __maybe_unused class_##name##_t			\
	class_##name##_constructor(void)				\
	{								\
		class_##name##_t guard_ = { .lock = (void *)1 };	\
		class_##name##_t *_T __maybe_unused = &guard_;		\
									\
		enter;							\
		return guard_;						\
	}
#define DEFINE_LOCK_GUARD_1_COND_4(name, extension, take, condition)	\
	USERMM_EXTEND_CLASS(name, extension, IS_ERR_OR_NULL(_T->lock),	\
		({							\
			class_##name##_t guard_ = { .lock = l }, *_T = &guard_; \
			int _RET = (take);				\
									\
			if (_T->lock && !(condition))			\
				_T->lock = ERR_PTR(_RET);		\
			guard_;						\
		}), lock_##name##_t *l)					\
	USERMM_GUARD_IS(name##extension, true, _T->lock)
#define DEFINE_LOCK_GUARD_1_COND_3(name, extension, take) \
	DEFINE_LOCK_GUARD_1_COND_4(name, extension, take, _RET)
#define DEFINE_LOCK_GUARD_1_COND(args...) \
	CONCATENATE(DEFINE_LOCK_GUARD_1_COND_, COUNT_ARGS(args))(args)

#define guard(name) CLASS(name, __UNIQUE_ID(guard_))
#define __guard_ptr(name) class_##name##_lock_ptr
#define __guard_err(name) class_##name##_lock_err
#define __is_cond_ptr(name) class_##name##_is_conditional
/* A conditional guard as a variable; ACQUIRE_ERR() is 0 if it holds its lock, else -errno. */
#define ACQUIRE(name, var) CLASS(name, var)
#define ACQUIRE_ERR(name, var) __guard_err(name)(var)
/* Runs the block with the lock; if a conditional guard has none, not at all. */
#define scoped_guard(name, args...)					\
	for (CLASS(name, scope)(args), *scoped_done_ __maybe_unused = NULL; \
	     !scoped_done_ && (__guard_ptr(name)(&scope) || !__is_cond_ptr(name)); \
	     scoped_done_ = (void *)1)
/* Without the lock it does `fail` instead, a statement. */
#define scoped_cond_guard(name, fail, args...)				\
	for (CLASS(name, scope)(args), *scoped_done_ __maybe_unused = NULL; !scoped_done_; \
	     scoped_done_ = (void *)1)					\
		if (!__guard_ptr(name)(&scope)) {			\
			fail;						\
		} else

#endif
