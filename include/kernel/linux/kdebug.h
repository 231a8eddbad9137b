/* SPDX-License-Identifier: MIT */
/* What a processor's exceptions notify: nothing here, since they end the module. */
#ifndef _LINUX_KDEBUG_H
#define _LINUX_KDEBUG_H

#include <linux/notifier.h>

struct pt_regs;

enum die_val { DIE_OOPS = 1, DIE_INT3, DIE_DEBUG, DIE_PANIC, DIE_NMI, DIE_DIE, DIE_KERNELDEBUG,
	       DIE_TRAP, DIE_GPF, DIE_CALL, DIE_PAGE_FAULT, DIE_NMIUNKNOWN };

struct die_args {
	struct pt_regs *regs;
	const char *str;
	long err;
	int trapnr, signr;
};

#define register_die_notifier(block) ((void)(block), 0)
#define unregister_die_notifier(block) ((void)(block), 0)

#endif
