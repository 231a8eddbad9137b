/* SPDX-License-Identifier: MIT */
/*
 * Defines the documented name of the field that says which thread gets a SIGEV_THREAD_ID event.
 * glibc lacks it.
 */
#ifndef SUPPORT_SIGEVENT_H
#define SUPPORT_SIGEVENT_H

#include <signal.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#endif
