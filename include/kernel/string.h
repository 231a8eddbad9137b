/* SPDX-License-Identifier: MIT */
/* libc's <string.h>, which may be read after <linux/string.h>: there these names are macros. */
#ifdef KERNEL_LINUX_STRING_H
#pragma push_macro("memcmp")
#pragma push_macro("strlcpy")
#pragma push_macro("strlcat")
#undef memcmp
#undef strlcpy
#undef strlcat
#endif
#include_next <string.h>
#ifdef KERNEL_LINUX_STRING_H
#pragma pop_macro("memcmp")
#pragma pop_macro("strlcpy")
#pragma pop_macro("strlcat")
#endif
