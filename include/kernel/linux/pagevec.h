/* SPDX-License-Identifier: MIT */
/* The name of folio_batch.h up to Linux 7.0. */
#ifndef KERNEL_LINUX_PAGEVEC_H
#define KERNEL_LINUX_PAGEVEC_H

#include <linux/version.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 1, 0)
#error "Linux 7.1 removed <linux/pagevec.h>; include <linux/folio_batch.h> instead"
#endif

#include <linux/folio_batch.h>

#endif
