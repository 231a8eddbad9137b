/* SPDX-License-Identifier: MIT */
#include <string.h>

#include <usermm/usermm.h>

#include "golden/record.h"

const char *record_why_not(void)
{
	struct usermm_doctor doctor;

	kfree(kmalloc(1, GFP_KERNEL));
	usermm_doctor_read(&doctor);
	return strcmp(doctor.percpu_mode, "rseq") ? doctor.percpu_reason : NULL;
}
