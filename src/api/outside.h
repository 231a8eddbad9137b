/* SPDX-License-Identifier: MIT */
/* Requests from outside the process; stats/outside.h has the protocol. */
#ifndef API_OUTSIDE_H
#define API_OUTSIDE_H

#include <stdbool.h>

#include "stats/outside.h"

extern struct outside control_outside;

/* From now on requests are answered. The library calls it when it is loaded, with control=on. */
void outside_begin(void);
/* Does the calling thread carry out a request now? */
bool outside_is_answering(void);

#endif
