/* SPDX-License-Identifier: MIT */
/* control=on: requests of `usermm control`. stats/control_request.h has the protocol. */
#ifndef API_CONTROL_REQUESTS_H
#define API_CONTROL_REQUESTS_H

#include <stdbool.h>

#include "stats/control_request.h"

extern struct control_request control_request;

/* Begins to answer requests. The library calls it when it is loaded, if control=on. */
void control_requests_begin(void);
/* Does the calling thread carry out a request now? */
bool control_requests_is_answering(void);

#endif
