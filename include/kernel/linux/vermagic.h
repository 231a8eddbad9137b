/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_VERMAGIC_H
#define _LINUX_VERMAGIC_H

#include <generated/utsrelease.h>

#define VERMAGIC_STRING UTS_RELEASE " SMP mod_unload "

#endif
