/* SPDX-License-Identifier: MIT */
/*
 * Reference counts with a part on each CPU. percpu_ref_kill() sums the parts; after that the last
 * put calls release.
 */
#ifndef KERNEL_LINUX_PERCPU_REFCOUNT_H
#define KERNEL_LINUX_PERCPU_REFCOUNT_H

#include <linux/atomic.h>
#include <linux/memory_hotplug.h>
#include <linux/page-flags-layout.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <usermm/compiler.h>

struct percpu_ref;
typedef void (percpu_ref_func_t)(struct percpu_ref *ref);

enum {
	PERCPU_REF_INIT_ATOMIC = 1,
	PERCPU_REF_INIT_DEAD = 2,
	PERCPU_REF_ALLOW_REINIT = 4,
};

struct percpu_ref {
	atomic_long_t count;		/* the whole count, once atomic_mode is set */
	unsigned long __percpu *percpu;
	bool atomic_mode;		/* do not use the CPUs' parts. Sync: RCU */
	bool dead;
	percpu_ref_func_t *release;
	percpu_ref_func_t *confirm;
	struct rcu_head rcu;
};

USERMM_BEGIN_DECLS

int percpu_ref_init(struct percpu_ref *ref, percpu_ref_func_t *release, unsigned int flags,
		    gfp_t gfp) USERMM_API(percpu_ref_init);
void percpu_ref_exit(struct percpu_ref *ref) USERMM_API(percpu_ref_exit);
void percpu_ref_kill_and_confirm(struct percpu_ref *ref, percpu_ref_func_t *confirm)
	USERMM_API(percpu_ref_kill_and_confirm);
void percpu_ref_reinit(struct percpu_ref *ref) USERMM_API(percpu_ref_reinit);
void percpu_ref_get_many(struct percpu_ref *ref, unsigned long nr)
	USERMM_API(percpu_ref_get_many);
void percpu_ref_put_many(struct percpu_ref *ref, unsigned long nr)
	USERMM_API(percpu_ref_put_many);
bool percpu_ref_tryget_many(struct percpu_ref *ref, unsigned long nr)
	USERMM_API(percpu_ref_tryget_many);
bool percpu_ref_tryget_live(struct percpu_ref *ref) USERMM_API(percpu_ref_tryget_live);
bool percpu_ref_is_zero(struct percpu_ref *ref) USERMM_API(percpu_ref_is_zero);

USERMM_END_DECLS

static inline void percpu_ref_kill(struct percpu_ref *ref)
{
	percpu_ref_kill_and_confirm(ref, NULL);
}

static inline void percpu_ref_get(struct percpu_ref *ref)
{
	percpu_ref_get_many(ref, 1);
}

static inline void percpu_ref_put(struct percpu_ref *ref)
{
	percpu_ref_put_many(ref, 1);
}

static inline bool percpu_ref_tryget(struct percpu_ref *ref)
{
	return percpu_ref_tryget_many(ref, 1);
}

static inline bool percpu_ref_is_dying(struct percpu_ref *ref)
{
	return READ_ONCE(ref->dead);
}

#endif
