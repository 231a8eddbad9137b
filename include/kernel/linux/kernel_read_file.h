/* SPDX-License-Identifier: MIT */
/* Whole files into memory, which vfree() frees. */
#ifndef _LINUX_KERNEL_READ_FILE_H
#define _LINUX_KERNEL_READ_FILE_H

#include <linux/file.h>
#include <linux/types.h>
#include <linux/vmalloc.h>
#include <usermm/compiler.h>

enum kernel_read_file_id {
	READING_UNKNOWN, READING_FIRMWARE, READING_MODULE, READING_KEXEC_IMAGE,
	READING_KEXEC_INITRAMFS, READING_POLICY, READING_X509_CERTIFICATE, READING_MAX_ID,
};

USERMM_BEGIN_DECLS

/*
 * The bytes from the offset on, at most `most` of them, to *buffer, or to fresh memory if that is
 * NULL; *size, if it is given, gets the file's size. The number of bytes; -EINVAL for no regular
 * file, or one that is empty; -EFBIG for a larger one, unless its size is asked for; and the
 * file's own errors.
 */
ssize_t kernel_read_file(struct file *file, loff_t offset, void **buffer, size_t most,
			 size_t *size, enum kernel_read_file_id id) USERMM_API(kernel_read_file);
ssize_t kernel_read_file_from_path(const char *path, loff_t offset, void **buffer, size_t most,
				   size_t *size, enum kernel_read_file_id id)
	USERMM_API(kernel_read_file_from_path);

USERMM_END_DECLS

#endif
