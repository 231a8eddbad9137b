/* SPDX-License-Identifier: MIT */
/*
 * control=on: the background thread carries out the requests of `usermm control`.
 * stats/control_request.h has the protocol. No signal handler could do this: a purge runs shrinkers
 * and waits for locks.
 */
#include "api/control_requests.h"

#include <string.h>

#include "base/check.h"
#include "base/compiler.h"
#include "base/options.h"
#include "base/upward_hooks.h"
#include "malloc/size_classes.h"
#include "os/background.h"
#include "os/core.h"
#include "os/load_options.h"
#include "os/os.h"
#include "usermm/control.h"

/*
 * Sync: the background thread writes process, thread, answered and the answer; a process has one
 * such thread at a time. A requester writes the rest, and waits for the answer before it writes
 * again. `asked` is stored last by the requester, `answered` by the thread.
 */
struct control_request control_request;

static bool is_answering;	/* Sync: atomic relaxed; written by the background thread */

bool control_requests_is_answering(void)
{
	return atomic_load_relaxed(&is_answering) &&
	       atomic_load_relaxed(&control_request.thread) == (uint32_t)os_current_thread();
}

static void answer(struct control_request *request)
{
	uint64_t old = 0, new = request->value;
	char name[CONTROL_NAME_BYTES];

	memcpy(name, request->name, sizeof(name));
	name[sizeof(name) - 1] = '\0';
	atomic_store_relaxed(&is_answering, true);
	request->error = usermm_control(name, request->access & CAN_READ ? &old : NULL,
					request->access & CAN_WRITE ? &new : NULL);
	atomic_store_relaxed(&is_answering, false);
	request->value = old;
}

/* The background thread calls this each time it wakes. */
static void answer_if_asked(void)
{
	struct control_request *request = &control_request;
	/* pairs with the requester, which writes `asked` last: access, value and name */
	uint32_t asked = atomic_load_acquire(&request->asked);
	uint32_t process = (uint32_t)os_current_process();

	atomic_store_relaxed(&request->thread, (uint32_t)os_current_thread());
	if (atomic_load_relaxed(&request->process) == process) {
		if (asked == atomic_load_relaxed(&request->answered))
			return;
		answer(request);
	}
	/* pairs with the requester's reads: the answer, or that there is a thread */
	atomic_store_release(&request->answered, asked);
	atomic_store_release(&request->process, process);
}

void control_requests_begin(void)
{
	if (options.background == OPTION_BACKGROUND_OFF) {
		report_warning("control=on needs the background thread, and background=off forbids "
			       "it; nobody answers `usermm control`");
		return;
	}
	if (classes_init())
		return;
	background_stay(answer_if_asked);
	background_wake();
}

__attribute__((__constructor__)) static often_called void begin(void)
{
	load_options();
	if (options.control == OPTION_CONTROL_ON && !core_is_spare())
		control_requests_begin();
}
