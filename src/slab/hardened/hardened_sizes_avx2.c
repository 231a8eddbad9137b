/* SPDX-License-Identifier: MIT */
/* See hardened_sizes.h. */
#include "slab/hardened/hardened_sizes.h"

slab_free_fn *slab_hardened_free_of_avx2(size_t bytes)
{
	return free_function_of(bytes);
}

slab_hardened_take_fn *slab_hardened_take_of_avx2(void)
{
	return take_any;
}
