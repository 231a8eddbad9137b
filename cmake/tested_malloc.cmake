# SPDX-License-Identifier: MIT
#
# malloc's C half under other names: a sanitizer brings a malloc() of its own.
set(tested_sources ${malloc_sources})
list(FILTER tested_sources EXCLUDE REGEX
	"/interpose/[^/]+$|/mallctl\\.c$")
set(tested_names malloc calloc realloc reallocarray free free_sized free_aligned_sized memalign
	aligned_alloc posix_memalign valloc pvalloc malloc_usable_size memalignment
	malloc_trim)
list(TRANSFORM tested_names REPLACE "(.+)" "\\1=tested_\\1")
add_library(tested_malloc OBJECT ${tested_sources})
target_compile_definitions(tested_malloc PRIVATE USERMM_TESTED_MALLOC ${tested_names})
target_link_libraries(tested_malloc PUBLIC usermm_core)
