/* SPDX-License-Identifier: MIT */
/* libc's, which may be read behind <linux/string.h>, where these names are macros. */
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
