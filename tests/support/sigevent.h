/* SPDX-License-Identifier: MIT */
/* The documented name of what a SIGEV_THREAD_ID event goes to, which glibc lacks. */
#ifndef SUPPORT_SIGEVENT_H
#define SUPPORT_SIGEVENT_H

#include <signal.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#endif
