/* SPDX-License-Identifier: MIT */
/* Asynchronous requests of a program reach no module: each has its own thread here. */
#ifndef KERNEL_LINUX_AIO_H
#define KERNEL_LINUX_AIO_H

#include <linux/fs.h>
#include <linux/types.h>

struct kioctx;
typedef int (kiocb_cancel_fn)(struct kiocb *request);

#define exit_aio(mm) ((void)(mm))
#define kiocb_set_cancel_fn(request, cancel) ((void)(request), (void)(cancel))

#endif
