/* SPDX-License-Identifier: MIT */
/*
 * What the sources of the conformance suite share. Each of them is one module, which is
 * built twice, unchanged: for Linux 6.12, where it says what the rule is, and for usermm.
 * tests/conformance/run_conformance.py runs both and compares.
 */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include <kunit/test.h>
#include <linux/module.h>

#ifdef CONFIG_USERMM
#define ON_USERMM 1
#define LINUX_SYMBOL(name) (&name)
#else
#define ON_USERMM 0
/* LINUX_ADDRESS_name, for every name that the sources ask for; made from System.map. */
#include "linux_symbols.h"
/* A function or variable that modules cannot link to; it has to be declared. */
#define LINUX_SYMBOL(name) ((typeof(&name))LINUX_ADDRESS_##name)
#endif

/*
 * Said by a case that holds something else against usermm than against Linux, because
 * usermm is different there on purpose. The text is the heading in
 * docs/LINUX-DIFFERENCES.md that gives the reason.
 */
#define DIFFERS(test, heading) kunit_info(test, "differs: " heading)

#endif
