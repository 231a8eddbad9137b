/* SPDX-License-Identifier: MIT */
/* test_hardened_object.c once more, compiled with AVX2. */
#include "os/os.h"
#include "slab/hardened/test_hardened_object.c"

static int need_avx2(struct kunit *test)
{
	if (!os_has_avx2())
		kunit_skip(test, "this machine has no such instructions");
	return 0;
}

__attribute__((__constructor__)) static void set_init(void)
{
	suite.init = need_avx2;
}
