/* SPDX-License-Identifier: MIT */
/* Notifiers are not called: the system is not this process's to restart. */
#ifndef KERNEL_LINUX_REBOOT_H
#define KERNEL_LINUX_REBOOT_H

#include <linux/notifier.h>
#include_next <linux/reboot.h>

#define SYS_DOWN 0x0001
#define SYS_RESTART SYS_DOWN
#define SYS_HALT 0x0002
#define SYS_POWER_OFF 0x0003
#define register_reboot_notifier(block) ((void)(block), 0)
#define unregister_reboot_notifier(block) ((void)(block), 0)

#endif
