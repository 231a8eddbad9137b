/* SPDX-License-Identifier: MIT */
/* Machines with memory nodes that exist only in files of a test. */
#ifndef SUPPORT_MADE_UP_H
#define SUPPORT_MADE_UP_H

#include <kunit/test.h>

struct made_up {
	const char *online, *has_memory, *allowed;	/* lists of nodes */
	struct made_up_node {
		const char *cpus, *distance;
		unsigned int mib;
	} nodes[6];		/* a node without a list of distances does not exist */
};

/* Brings the page allocator up on that machine, with 64 MiB in all. Call it in a child. */
void made_up_bring_up(struct kunit *test, const struct made_up *machine);

#endif
