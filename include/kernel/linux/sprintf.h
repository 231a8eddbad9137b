/* SPDX-License-Identifier: MIT */
/*
 * Formatted text, with the kernel's letters after %p. Macros give these functions other names than
 * libc's: a compiler that recognised libc's functions would assume the length of a plain %p.
 */
#ifndef KERNEL_LINUX_SPRINTF_H
#define KERNEL_LINUX_SPRINTF_H

#include <linux/stdarg.h>
#include <stdarg.h>

#include <linux/compiler.h>
#include <linux/types.h>
#include <usermm/compiler.h>

#undef sprintf
#undef vsprintf
#undef snprintf
#undef vsnprintf
#undef sscanf
#undef vsscanf
#define sprintf usermm_kernel_sprintf
#define vsprintf usermm_kernel_vsprintf
#define snprintf usermm_kernel_snprintf
#define vsnprintf usermm_kernel_vsnprintf
#define sscanf usermm_kernel_sscanf
#define vsscanf usermm_kernel_vsscanf

USERMM_BEGIN_DECLS

/* Returns the length of the whole text, even if it did not fit. */
int sprintf(char *buffer, const char *format, ...)
	__attribute__((visibility("default"))) __printf(2, 3);
int vsprintf(char *buffer, const char *format, va_list args)
	__attribute__((visibility("default"))) __printf(2, 0);
int snprintf(char *buffer, size_t size, const char *format, ...)
	__attribute__((visibility("default"))) __printf(3, 4);
int vsnprintf(char *buffer, size_t size, const char *format, va_list args)
	__attribute__((visibility("default"))) __printf(3, 0);
/* Returns the length of the text in the buffer. */
int scnprintf(char *buffer, size_t size, const char *format, ...)
	USERMM_API(scnprintf) __printf(3, 4);
int vscnprintf(char *buffer, size_t size, const char *format, va_list args)
	USERMM_API(vscnprintf) __printf(3, 0);
int sscanf(const char *text, const char *format, ...)
	__attribute__((visibility("default"))) __scanf(2, 3);
int vsscanf(const char *text, const char *format, va_list args)
	__attribute__((visibility("default"))) __scanf(2, 0);

/* The text is in kmalloc() memory. */
char *kasprintf(gfp_t gfp, const char *format, ...) USERMM_API(kasprintf) __printf(2, 3);
char *kvasprintf(gfp_t gfp, const char *format, va_list args)
	USERMM_API(kvasprintf) __printf(2, 0);
const char *kvasprintf_const(gfp_t gfp, const char *format, va_list args)
	USERMM_API(kvasprintf_const) __printf(2, 0);

USERMM_END_DECLS

#endif
