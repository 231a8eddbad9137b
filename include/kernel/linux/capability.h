/* SPDX-License-Identifier: MIT */
/* Capabilities: root has all, and any other user none. */
#ifndef KERNEL_LINUX_CAPABILITY_H
#define KERNEL_LINUX_CAPABILITY_H

#include <linux/bits.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <usermm/compiler.h>
#include_next <linux/capability.h>

typedef struct {
	u64 val;
} kernel_cap_t;

#define CAP_FULL_SET ((kernel_cap_t){ ~0ULL >> (63 - CAP_LAST_CAP) })
#define CAP_EMPTY_SET ((kernel_cap_t){ 0 })
#define cap_raised(set, capability) (((set).val >> (capability) & 1) != 0)
#define cap_raise(set, capability) ((void)((set).val |= 1ULL << (capability)))
#define cap_lower(set, capability) ((void)((set).val &= ~(1ULL << (capability))))

struct task_struct;

USERMM_BEGIN_DECLS

bool capable(int capability) USERMM_API(capable);
bool ns_capable(struct user_namespace *ns, int capability) USERMM_API(ns_capable);
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0) || defined(USERMM_KERNEL_LAYER)
bool has_capability(struct task_struct *task, int capability) USERMM_API(has_capability);
#else
USERMM_REMOVED(has_capability, "7.2", "capable()")
#endif

USERMM_END_DECLS

#define capable_wrt_inode_uidgid(...) capable(CAP_DAC_OVERRIDE)
#define ns_capable_noaudit(ns, capability) ns_capable(ns, capability)
#define perfmon_capable() capable(CAP_PERFMON)
#define bpf_capable() capable(CAP_BPF)

#endif
