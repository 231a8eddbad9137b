/* SPDX-License-Identifier: MIT */
#ifndef _CRYPTO_ALGAPI_H
#define _CRYPTO_ALGAPI_H

#include <crypto/utils.h>
#include <linux/crypto.h>
#include <linux/kconfig.h>
#include <linux/list.h>
#include <linux/types.h>

#define MAX_ALGAPI_BLOCKSIZE 160
#define MAX_CIPHER_BLOCKSIZE 16

#endif
