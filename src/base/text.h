/* SPDX-License-Identifier: MIT */
/*
 * The functions of <string.h> that look at texts, of our own: libc's may belong to another library
 * of the process, which may wait for a lock in them (base/system_call.h). They are for the short
 * texts of options, names and the kernel's files. memcpy(), memmove() and memset() stay libc's:
 * compilers call them by themselves, so every owner of these must expect calls from anywhere.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <string.h>

#include "base/compiler.h"

#ifndef USERMM_KERNEL_LAYER
size_t text_length(const char *text);
int text_compare(const char *one, const char *other);
int text_compare_start(const char *one, const char *other, size_t most);
char *text_find(const char *text, int c);
char *text_find_last(const char *text, int c);
char *text_find_text(const char *text, const char *part);
size_t text_span(const char *text, const char *of);
size_t text_span_without(const char *text, const char *of);
void *text_find_byte(const void *bytes, int c, size_t nr);
int text_compare_bytes(const void *one, const void *other, size_t nr);

#undef strlen
#undef strcmp
#undef strncmp
#undef strchr
#undef strrchr
#undef strstr
#undef strspn
#undef strcspn
#undef memchr
#undef memcmp
#define strlen text_length
#define strcmp text_compare
#define strncmp text_compare_start
#define strchr text_find
#define strrchr text_find_last
#define strstr text_find_text
#define strspn text_span
#define strcspn text_span_without
#define memchr text_find_byte
#define memcmp text_compare_bytes
#endif

#endif
