/* SPDX-License-Identifier: MIT */
/* See hardened_sizes.h. */
#include "malloc/hardened/hardened_sizes.h"

hardened_alloc_fn *hardened_alloc_of(size_t bytes, bool avx2)
{
	return avx2 ? hardened_alloc_of_avx2(bytes) : alloc_function_of(bytes);
}
