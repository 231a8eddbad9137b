/* SPDX-License-Identifier: MIT */
/* As on a machine without EFI. */
#ifndef _LINUX_EFI_H
#define _LINUX_EFI_H

#include <linux/errno.h>
#include <linux/ioport.h>
#include <linux/kmsg_dump.h>
#include <linux/proc_fs.h>
#include <linux/reboot.h>
#include <linux/rtc.h>
#include <linux/time.h>
#include <linux/types.h>
#include <linux/uuid.h>

#define EFI_SUCCESS 0
#define EFI_ERR 1
#define EFI_BOOT 0
#define EFI_RUNTIME_SERVICES 3
#define EFI_SECURE_BOOT 11
#define EFI_VARIABLE_NON_VOLATILE 0x1
#define EFI_VARIABLE_BOOTSERVICE_ACCESS 0x2
#define EFI_VARIABLE_RUNTIME_ACCESS 0x4

typedef unsigned long efi_status_t;
typedef u8 efi_bool_t;
typedef u16 efi_char16_t;
typedef guid_t efi_guid_t;
#define EFI_GUID(a, b, c, d...) ((efi_guid_t)GUID_INIT(a, b, c, d))
#define EFI_GLOBAL_VARIABLE_GUID \
	EFI_GUID(0x8be4df61, 0x93ca, 0x11d2, 0xaa, 0x0d, 0x00, 0xe0, 0x98, 0x03, 0x2b, 0x8c)

#define efi_enabled(what) ((void)(what), false)
#define efi_rt_services_supported(mask) ((void)(mask), false)

#endif
