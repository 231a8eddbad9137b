/* SPDX-License-Identifier: MIT */
/*
 * Other CPUs can take what a CPU keeps if its slot can be stopped. The library knows whether it
 * can.
 */
#ifndef MALLOC_STOPPING_H
#define MALLOC_STOPPING_H

#include "harness.h"
#include "usermm/usermm.h"

#pragma weak usermm_doctor_read

/* The number of CPUs whose lists nobody else can empty; 0 under libc's malloc. */
static inline unsigned int nr_unstoppable_slots(void)
{
	struct usermm_doctor doctor = { .can_stop = true };

	if (usermm_doctor_read)
		usermm_doctor_read(&doctor);
	return doctor.can_stop ? 0 : doctor.nr_slots;
}

#endif
