/* SPDX-License-Identifier: MIT */
/* Chains of call-backs. Those with a greater priority are called first. */
#ifndef USERMM_NOTIFIER_H
#define USERMM_NOTIFIER_H

struct notifier_block;
typedef int (*notifier_fn_t)(struct notifier_block *nb, unsigned long action, void *data);

struct notifier_block {
	notifier_fn_t notifier_call;
	struct notifier_block *next;	/* used by the chain */
	int priority;
};

#define NOTIFY_DONE 0x0000
#define NOTIFY_OK 0x0001
#define NOTIFY_STOP_MASK 0x8000		/* call no further call-back */
#define NOTIFY_BAD (NOTIFY_STOP_MASK | 0x0002)
#define NOTIFY_STOP (NOTIFY_OK | NOTIFY_STOP_MASK)

#endif
