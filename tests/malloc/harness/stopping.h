/* SPDX-License-Identifier: MIT */
/* What a CPU keeps is there for others where its slot can be stopped: the library knows. */
#ifndef MALLOC_STOPPING_H
#define MALLOC_STOPPING_H

#include "harness.h"
#include "usermm/usermm.h"

#pragma weak usermm_doctor_read

/* Of CPUs that keep what they have. libc's malloc has none. */
static inline unsigned int nr_unstoppable_slots(void)
{
	struct usermm_doctor doctor = { .can_stop = true };

	if (usermm_doctor_read)
		usermm_doctor_read(&doctor);
	return doctor.can_stop ? 0 : doctor.nr_slots;
}

#endif
