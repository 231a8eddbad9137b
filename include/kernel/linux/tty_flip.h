/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_TTY_FLIP_H
#define _LINUX_TTY_FLIP_H

#include <linux/tty_port.h>
#include <linux/types.h>

/* All characters are taken, and nobody reads them. */
#define tty_insert_flip_char(port, c, flag) ((void)(port), (void)(c), (void)(flag), 1)
#define tty_insert_flip_string(port, text, n) ((void)(port), (void)(text), (n))
#define tty_flip_buffer_push(port) ((void)(port))
#define tty_buffer_request_room(port, n) ((void)(port), (n))

#endif
