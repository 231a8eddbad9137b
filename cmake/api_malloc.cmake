# SPDX-License-Identifier: MIT
#
# The malloc layer for libusermm, under the names of usermm/malloc.h: malloc() stays libc's there.
# Without what replaces other calls of libc's (src/malloc/interpose), without jemalloc's names, and
# without the process's family (src/malloc/family.h).
set(api_malloc_sources ${malloc_sources})
list(FILTER api_malloc_sources EXCLUDE REGEX
	"/interpose/[^/]+$|/mallctl\\.c$|/linked\\.c$|/malloc/family\\.c$")
set(api_malloc_names malloc calloc realloc free free_sized free_aligned_sized aligned_alloc
	reallocarray memalign posix_memalign valloc pvalloc memalignment)
list(TRANSFORM api_malloc_names REPLACE "(.+)" "\\1=usermm_\\1")
list(APPEND api_malloc_names malloc_usable_size=usermm_usable_size
	malloc_trim=usermm_malloc_trim)
add_library(usermm_api_malloc OBJECT ${api_malloc_sources})
target_compile_definitions(usermm_api_malloc PRIVATE USERMM_API_MALLOC ${api_malloc_names})
target_link_libraries(usermm_api_malloc PUBLIC usermm_core)
