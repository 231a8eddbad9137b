// SPDX-License-Identifier: MIT
/* Virtual consoles, of which a process has none: see linux/console_struct.h. */
#include <linux/console_struct.h>

struct vc vc_cons[MAX_NR_CONSOLES];
