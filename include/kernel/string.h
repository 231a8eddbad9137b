/* SPDX-License-Identifier: MIT */
/* Wraps libc's header: if <linux/string.h> came first, these names are macros. */
#ifdef KERNEL_LINUX_STRING_H
#pragma push_macro("memcmp")
#pragma push_macro("strlcpy")
#pragma push_macro("strlcat")
#pragma push_macro("strncpy")
#undef memcmp
#undef strlcpy
#undef strlcat
#undef strncpy
#endif
#include_next <string.h>
#ifdef KERNEL_LINUX_STRING_H
#pragma pop_macro("memcmp")
#pragma pop_macro("strlcpy")
#pragma pop_macro("strlcat")
#pragma pop_macro("strncpy")
#endif
