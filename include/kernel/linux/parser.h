/* SPDX-License-Identifier: MIT */
/* Options as text: name=value, one after the other. */
#ifndef _LINUX_PARSER_H
#define _LINUX_PARSER_H

#include <linux/types.h>
#include <usermm/compiler.h>

struct match_token {
	int token;
	const char *pattern;
};

typedef struct match_token match_table_t[];

#define MAX_OPT_ARGS 3

typedef struct {
	char *from, *to;
} substring_t;

USERMM_BEGIN_DECLS

/*
 * The token of the first pattern that text matches; the last pattern, NULL, matches everything.
 * In a pattern %s is the rest, %d, %u, %o and %x are numbers, %Ns is at most N characters, %% is
 * %. The pieces that stand for these are in args. In any context.
 */
int match_token(char *text, const match_table_t table, substring_t args[])
	USERMM_API(match_token);
/* 0; -EINVAL for what is no number; -ERANGE. */
int match_int(substring_t *piece, int *result) USERMM_API(match_int);
int match_uint(substring_t *piece, unsigned int *result) USERMM_API(match_uint);
int match_u64(substring_t *piece, u64 *result) USERMM_API(match_u64);
int match_octal(substring_t *piece, int *result) USERMM_API(match_octal);
int match_hex(substring_t *piece, int *result) USERMM_API(match_hex);
/* Does the pattern, with * and ?, match all of the text? */
bool match_wildcard(const char *pattern, const char *text) USERMM_API(match_wildcard);
/* Copies at most size - 1 characters; returns the piece's length. */
size_t match_strlcpy(char *to, const substring_t *piece, size_t size) USERMM_API(match_strlcpy);
/* A copy for kfree(), or NULL. May sleep. */
char *match_strdup(const substring_t *piece) USERMM_API(match_strdup);

USERMM_END_DECLS

#endif
