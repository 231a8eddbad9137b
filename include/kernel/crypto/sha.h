/* SPDX-License-Identifier: MIT */
#ifndef _CRYPTO_SHA_H
#define _CRYPTO_SHA_H

#include <linux/version.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
#error "Linux 5.11 removed <crypto/sha.h>; include <crypto/sha1.h> or <crypto/sha2.h> instead"
#endif

#include <crypto/sha1.h>
#include <crypto/sha2.h>

#endif
