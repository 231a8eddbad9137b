/* SPDX-License-Identifier: MIT */
/* A command that goes on until it is told to end. */
#ifndef TOOLS_STOP_H
#define TOOLS_STOP_H

#include <poll.h>
#include <stdbool.h>

/*
 * From now on INT, TERM and HUP end no process, but the wait of stop_poll(), and stopped() is true.
 * A signal that comes between two waits ends the next one. One that is ignored, as nohup(1) does
 * with HUP, stays so.
 */
void stop_on_signals(void);
bool stopped(void);

/* As poll(2), with a time in seconds. It may end early. */
int stop_poll(struct pollfd *files, unsigned int nr, double seconds);

#endif
