/* SPDX-License-Identifier: MIT */
/* Lists of pages in a known state; see usermm/quicklist.h. Linux removed them in 5.4. */
#ifndef _LINUX_QUICKLIST_H
#define _LINUX_QUICKLIST_H

#include <linux/gfp.h>
#include <usermm/quicklist.h>

#endif
