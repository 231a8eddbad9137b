/* SPDX-License-Identifier: MIT */
/* See hardened_sizes.h. */
#include "malloc/hardened/hardened_sizes.h"

hardened_alloc_fn *hardened_alloc_of_avx2(size_t bytes)
{
	return alloc_function_of(bytes);
}
