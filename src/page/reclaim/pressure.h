/* SPDX-License-Identifier: MIT */
/*
 * pressure=auto: while the background thread exists, it gives back all that is kept if the memory
 * cgroup stalls. It looks at these files of the process's cgroup, the first that exists:
 *
 *	memory.pressure		in a tenth of the time since the last look, some task waited for
 *				memory
 *	memory.events		memory.high or memory.max was reached since the last look
 *	memory.failcnt		the limit was reached (version 1)
 *
 * The thread may open no files (os/rights.h). So whoever wakes it opens the file, and the thread
 * closes it when it has nothing left to do. A program may have closed the descriptor meanwhile, and
 * opened something else under its number. So the file behind the number is compared before the
 * thread closes it.
 *
 * If the process is moved to another cgroup, whoever looks at limits (limits.h) notices it. Then
 * the thread closes the file, and the next one who looks at limits opens that of the new cgroup.
 *
 * The thread is neither created nor kept for this alone.
 */
#ifndef PAGE_RECLAIM_PRESSURE_H
#define PAGE_RECLAIM_PRESSURE_H

#include "base/compiler.h"

/* How often the thread looks. Sync: tests write it before there is a thread */
extern unsigned int pressure_look_ms;

/* The background thread is about to be woken: opens the file. Not in a vfork() child. */
void pressure_watch(void);
/* As pressure_watch(), if the thread had to close the file because the process was moved. */
void pressure_watch_again(void);
/*
 * Called by the background thread after its other work. again_ms: when it runs again for that; 0:
 * not. Returns when it should run again.
 */
unsigned int pressure_work(unsigned int again_ms);
/*
 * Closes the file where no thread would do it: in a fork child, which has a copy of the descriptor,
 * and where there will be no thread any more.
 */
void pressure_forget(void);

#endif
