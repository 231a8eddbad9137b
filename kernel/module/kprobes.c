// SPDX-License-Identifier: MIT
/* Probes, which are never hit: see linux/kprobes.h. */
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/string.h>

static unsigned long looks_nothing_up(const char *name)
{
	(void)name;
	return 0;
}

static void does_nothing(void)
{
}

int register_kprobe(struct kprobe *probe)
{
	if (!probe->addr == !probe->symbol_name)
		return -EINVAL;
	if (probe->symbol_name) {
		bool is_lookup = !strcmp(probe->symbol_name, "kallsyms_lookup_name");

		if (!probe->symbol_name[0])
			return -ENOENT;
		probe->addr = is_lookup ? (kprobe_opcode_t *)looks_nothing_up :
					  (kprobe_opcode_t *)does_nothing;
		probe->addr += probe->offset;
	}
	probe->nmissed = 0;
	return 0;
}

int register_kretprobe(struct kretprobe *probe)
{
	probe->nmissed = 0;
	return register_kprobe(&probe->kp);
}
