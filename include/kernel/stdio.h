/* SPDX-License-Identifier: MIT */
/* Wraps libc's header: if <linux/sprintf.h> came first, these names are macros. */
#ifdef KERNEL_LINUX_SPRINTF_H
#pragma push_macro("sprintf")
#pragma push_macro("vsprintf")
#pragma push_macro("snprintf")
#pragma push_macro("vsnprintf")
#pragma push_macro("sscanf")
#pragma push_macro("vsscanf")
#undef sprintf
#undef vsprintf
#undef snprintf
#undef vsnprintf
#undef sscanf
#undef vsscanf
#endif
#include_next <stdio.h>
#ifdef KERNEL_LINUX_SPRINTF_H
#pragma pop_macro("sprintf")
#pragma pop_macro("vsprintf")
#pragma pop_macro("snprintf")
#pragma pop_macro("vsnprintf")
#pragma pop_macro("sscanf")
#pragma pop_macro("vsscanf")
#endif
