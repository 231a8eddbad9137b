/* SPDX-License-Identifier: MIT */
/* What has to be true in a fuzzer; else it aborts, which libFuzzer takes for a finding. */
#ifndef FUZZ_REQUIRE_H
#define FUZZ_REQUIRE_H

#include <stdio.h>
#include <stdlib.h>

#define REQUIRE(condition)								\
	do {										\
		if (!(condition)) {							\
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__,	\
				#condition);						\
			abort();							\
		}									\
	} while (0)

#endif
