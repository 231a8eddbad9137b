/* SPDX-License-Identifier: MIT */
/* A command that goes on until it is told to end. */
#ifndef TOOLS_STOP_H
#define TOOLS_STOP_H

#include <stdbool.h>

/*
 * From now on INT, TERM and HUP end no process, but waits in system calls (EINTR), and stopped() is
 * true. A signal that is ignored, as nohup(1) does with HUP, stays so.
 */
void stop_on_signals(void);
bool stopped(void);

#endif
