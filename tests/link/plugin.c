/* SPDX-License-Identifier: MIT */
/* A plugin with an allocator of its own in it: the archive. */
#include <stdbool.h>

#include "usermm/usermm.h"

bool plugin_work(unsigned long steps);

/* Ends with a sequence, so that the thread's rseq_cs may point into the plugin. */
__attribute__((visibility("default"))) bool plugin_work(unsigned long steps)
{
	for (unsigned long i = 0; i < steps; i++) {
		void *object = kmalloc(64, GFP_KERNEL);

		if (!object)
			return false;
		kfree(object);
	}
	return true;
}
