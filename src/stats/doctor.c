/* SPDX-License-Identifier: MIT */
/* The mode of the library, limits of the machine, and options: for `usermm doctor`. */
#include "base/fmt.h"
#include "base/options.h"
#include "mm/memmap.h"
#include "os/load_options.h"
#include "os/os.h"
#include "page/reclaim/limits.h"
#include "page/zone.h"
#include "percpu/percpu.h"
#include "percpu/remote.h"
#include "slab/cache.h"
#include "slab/slab.h"
#include "usermm/usermm.h"

const char *usermm_version(void)
{
	return USERMM_VERSION;
}

void usermm_doctor_read(struct usermm_doctor *doctor)
{
	enum percpu_mode mode;
	const char *source;

	*doctor = (struct usermm_doctor){ 0 };
	if (slab_init()) {
		doctor->percpu_mode = "none";
		doctor->percpu_reason = "the window could not be reserved";
		doctor->slot_index = "none";
		doctor->rseq_area = "none";
	} else {
		mode = percpu_mode();
		doctor->percpu_mode = mode == PERCPU_LOCKED ? "locked" : "rseq";
		doctor->percpu_reason = percpu_mode_reason();
		doctor->slot_index = mode == PERCPU_RSEQ_MM_CID ? "mm_cid" :
				     mode == PERCPU_RSEQ_CPU_ID ? "cpu_id" : "getcpu";
		doctor->rseq_area = percpu_registration();
		doctor->can_stop = percpu_can_stop();
	}
	doctor->nr_slots = percpu_nr_slots();
	doctor->os_page_bytes = os_page_bytes();
	doctor->ram_bytes = os_memory_bytes();
	limits_refresh();
	source = atomic_load_relaxed(&mm_facts.budget_source);
	doctor->limit_bytes = mm_budget_bytes();
	doctor->limit_source = source ? source : "none";
}

/* For a command line. *error stays valid until the next call. */
int usermm_set_options(const char *text, const char **error)
{
	static char message[OPTION_ERROR_BYTES] __large_bss;

	*error = message;
	load_options();
	if (percpu.slots || mm_facts.window_bytes) {
		fmt_format(message, sizeof(message),
			   "options must be set before the first allocation");
		return -1;
	}
	return options_parse(text, message, sizeof(message));
}

bool usermm_option_info(unsigned int i, struct usermm_option_info *info)
{
	static char default_value[32];
	static char current_value[512] __large_bss;
	const struct option_row *row = options_row(i);

	if (!row)
		return false;
	load_options();
	options_format_value(row, row->default_value, default_value, sizeof(default_value));
	options_format_value(row, *row->value, current_value, sizeof(current_value));
	*info = (struct usermm_option_info){
		.name = row->name,
		.type = row->type,
		.range = row->range,
		.stability = row->stability,
		.help = row->help,
		.default_value = default_value,
		.current_value = current_value,
	};
	return true;
}

bool usermm_option_old_name(unsigned int i, const char **name, const char **new_name)
{
	load_options();
	return options_old_name(i, name, new_name);
}
