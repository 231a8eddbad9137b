/* SPDX-License-Identifier: MIT */
/* See hardened_sizes.h. */
#include "slab/hardened_sizes.h"

slab_free_fn *slab_hardened_free_of_avx2(size_t bytes)
{
	return free_function_of(bytes);
}
