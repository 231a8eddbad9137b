/* SPDX-License-Identifier: MIT */
/* Up to 6.5 one header. */
#ifndef _NET_PAGE_POOL_H
#define _NET_PAGE_POOL_H

#include <net/page_pool/helpers.h>

#endif
