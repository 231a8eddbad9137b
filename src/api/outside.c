/* SPDX-License-Identifier: MIT */
/*
 * control=on: the background thread carries out what `usermm control` asks. stats/outside.h has the
 * protocol. No signal handler could do this: a purge runs shrinkers and waits for locks.
 */
#include "api/outside.h"

#include <string.h>

#include "base/check.h"
#include "base/options.h"
#include "base/upward_hooks.h"
#include "malloc/size_classes.h"
#include "os/background.h"
#include "os/core.h"
#include "os/load_options.h"
#include "os/os.h"
#include "usermm/control.h"

/*
 * Sync: process, thread and the answer are written by the background thread, of which there is one
 * at a time; the rest by a requester, who waits for the answer. Both ends of a request are atomic.
 */
struct outside control_outside;

static bool is_answering;	/* Sync: atomic relaxed; written by the background thread */

bool outside_is_answering(void)
{
	return atomic_load_relaxed(&is_answering) &&
	       atomic_load_relaxed(&control_outside.thread) == (uint32_t)os_current_thread();
}

static void answer(struct outside *block)
{
	uint64_t old = 0, new = block->value;
	char name[OUTSIDE_NAME_BYTES];

	memcpy(name, block->name, sizeof(name));
	name[sizeof(name) - 1] = '\0';
	atomic_store_relaxed(&is_answering, true);
	block->error = usermm_control(name, block->access & CAN_READ ? &old : NULL,
				      block->access & CAN_WRITE ? &new : NULL);
	atomic_store_relaxed(&is_answering, false);
	block->value = old;
}

/* The background thread looks each time it wakes. */
static void look(void)
{
	struct outside *block = &control_outside;
	/* pairs with the requester's second call: the request */
	uint32_t asked = atomic_load_acquire(&block->asked);
	uint32_t process = (uint32_t)os_current_process();

	atomic_store_relaxed(&block->thread, (uint32_t)os_current_thread());
	if (atomic_load_relaxed(&block->process) == process) {
		if (asked == atomic_load_relaxed(&block->answered))
			return;
		answer(block);
	}
	/* pairs with the requester's reads: the answer, or that there is a thread */
	atomic_store_release(&block->answered, asked);
	atomic_store_release(&block->process, process);
}

void outside_begin(void)
{
	if (options.background == OPTION_BACKGROUND_OFF) {
		report_warning("control=on needs the background thread, and background=off forbids "
			       "it; nobody answers `usermm control`");
		return;
	}
	if (classes_init())
		return;
	background_stay(look);
	background_wake();
}

__attribute__((__constructor__)) static void begin(void)
{
	load_options();
	if (options.control == OPTION_CONTROL_ON && !core_is_spare())
		outside_begin();
}
