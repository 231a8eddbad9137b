/* SPDX-License-Identifier: MIT */
/* The name of folio_batch.h up to Linux 6.18. */
#ifndef KERNEL_LINUX_PAGEVEC_H
#define KERNEL_LINUX_PAGEVEC_H

#include <linux/folio_batch.h>

#define PAGEVEC_SIZE FOLIO_BATCH_SIZE

#endif
