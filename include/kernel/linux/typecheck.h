/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_TYPECHECK_H
#define KERNEL_LINUX_TYPECHECK_H

/* Always 1. The compiler warns if x has another type. */
#define typecheck(type, x)						\
	({								\
		type typecheck_type_;					\
		__typeof__(x) typecheck_x_;				\
									\
		(void)(&typecheck_type_ == &typecheck_x_);		\
		1;							\
	})
#define typecheck_fn(type, function)					\
	({ __typeof__(type) typecheck_fn_ = function; (void)typecheck_fn_; })

#endif
