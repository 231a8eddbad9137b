/* SPDX-License-Identifier: MIT */
/* See hardened_sizes.h. */
#include "slab/hardened/hardened_sizes.h"

slab_free_fn *slab_hardened_free_of(size_t bytes, bool avx2)
{
	return avx2 ? slab_hardened_free_of_avx2(bytes) : free_function_of(bytes);
}

slab_hardened_take_fn *slab_hardened_take_of(bool avx2)
{
	return avx2 ? slab_hardened_take_of_avx2() : take_any;
}
