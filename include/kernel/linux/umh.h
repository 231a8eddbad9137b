/* SPDX-License-Identifier: MIT */
/* Programs that the kernel starts. They are programs of the machine, with this process's rights. */
#ifndef __LINUX_UMH_H__
#define __LINUX_UMH_H__

#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/sysctl.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <usermm/compiler.h>

#define UMH_NO_WAIT 0x00
#define UMH_WAIT_EXEC 0x01
#define UMH_WAIT_PROC 0x02
#define UMH_KILLABLE 0x04

USERMM_BEGIN_DECLS

/*
 * With UMH_WAIT_PROC the program's status, as wait(2) has it; else 0 as soon as it runs. Or -errno.
 * May sleep.
 */
int call_usermodehelper(const char *path, char **arguments, char **environment, int wait)
	USERMM_API(call_usermodehelper);

USERMM_END_DECLS

#endif
