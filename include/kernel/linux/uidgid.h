/* SPDX-License-Identifier: MIT */
/* User and group numbers of their own types. There is one namespace of users: numbers are equal. */
#ifndef _LINUX_UIDGID_H
#define _LINUX_UIDGID_H

#include <linux/types.h>

typedef struct {
	uid_t val;
} kuid_t;

typedef struct {
	gid_t val;
} kgid_t;

struct user_namespace;
extern struct user_namespace init_user_ns __asm__("usermm_init_user_ns")
	__attribute__((visibility("default")));

#define KUIDT_INIT(value) ((kuid_t){ value })
#define KGIDT_INIT(value) ((kgid_t){ value })
#define INVALID_UID KUIDT_INIT((uid_t)-1)
#define INVALID_GID KGIDT_INIT((gid_t)-1)
#define GLOBAL_ROOT_UID KUIDT_INIT(0)
#define GLOBAL_ROOT_GID KGIDT_INIT(0)

#define USERMM_ID_CALLS(kind, type)						\
	static inline unsigned int __k##kind##_val(type id)			\
	{									\
		return id.val;							\
	}									\
	static inline bool kind##_eq(type a, type b)				\
	{									\
		return a.val == b.val;						\
	}									\
	static inline bool kind##_gt(type a, type b)				\
	{									\
		return a.val > b.val;						\
	}									\
	static inline bool kind##_gte(type a, type b)				\
	{									\
		return a.val >= b.val;						\
	}									\
	static inline bool kind##_lt(type a, type b)				\
	{									\
		return a.val < b.val;						\
	}									\
	static inline bool kind##_lte(type a, type b)				\
	{									\
		return a.val <= b.val;						\
	}									\
	static inline bool kind##_valid(type id)				\
	{									\
		return id.val != (unsigned int)-1;				\
	}									\
	static inline type make_k##kind(struct user_namespace *ns, unsigned int id) \
	{									\
		(void)ns;							\
		return (type){ id };						\
	}									\
	static inline unsigned int from_k##kind(struct user_namespace *ns, type id) \
	{									\
		(void)ns;							\
		return id.val;							\
	}									\
	static inline unsigned int from_k##kind##_munged(struct user_namespace *ns, type id) \
	{									\
		(void)ns;							\
		return id.val;							\
	}									\
	static inline bool k##kind##_has_mapping(struct user_namespace *ns, type id) \
	{									\
		(void)ns;							\
		return kind##_valid(id);					\
	}
USERMM_ID_CALLS(uid, kuid_t)
USERMM_ID_CALLS(gid, kgid_t)

#endif
