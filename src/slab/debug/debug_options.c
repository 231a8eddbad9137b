/* SPDX-License-Identifier: MIT */
/*
 * The option slab_debug=. ';' separates its blocks. A block has letters and then, each after
 * a ',', the names of caches. A block without names is for all caches.
 * cf. Linux mm/slub.c: parse_slub_debug_flags(), kmem_cache_flags().
 */

#include "base/options.h"
#include "base/text.h"
#include "page/debug/stack_depot.h"
#include "slab/debug/debug.h"

struct block {
	slab_flags_t flags;
	bool keeps_order;
	const char *names;	/* NULL: every cache */
	size_t names_length;
};

/* Sync: constant after slab_debug_init() */
static const char *option;		/* NULL: not given */
static slab_flags_t flags_of_all;
static bool keeps_order;

static const struct {
	char letter;
	slab_flags_t flag;
} letters[] = {
	{ 'f', SLAB_CONSISTENCY_CHECKS }, { 'z', SLAB_RED_ZONE }, { 'p', SLAB_POISON },
	{ 'u', SLAB_STORE_USER }, { 't', SLAB_TRACE }, { 'a', SLAB_FAILSLAB },
};

static void apply_letter(struct block *block, char letter)
{
	char lower = letter | 0x20;	/* leaves '-' as it is */

	for (unsigned int i = 0; i < ARRAY_SIZE(letters); i++)
		if (lower == letters[i].letter) {
			block->flags |= letters[i].flag;
			return;
		}
	if (lower == 'o')
		block->keeps_order = true;
	else
		block->flags = 0;	/* '-': base/option_text.c accepts no other characters */
}

/* Reads the block at text. Returns where the next one begins; NULL behind the last. */
static const char *read_block(const char *text, struct block *block)
{
	*block = (struct block){ 0 };
	text += strspn(text, ";");
	if (*text == ',')
		block->flags = SLAB_DEBUG_DEFAULT;
	for (; *text && *text != ',' && *text != ';'; text++)
		apply_letter(block, *text);
	if (*text == ',') {
		block->names = ++text;
		block->names_length = strcspn(text, ";");
		text += block->names_length;
	}
	text += strspn(text, ";");
	return *text ? text : NULL;
}

often_called void slab_debug_init(void)
{
	const char *next = option_text(options.slab_debug);
	struct block block;

	if (next)		/* kmalloc's caches are made with a lock held */
		stack_depot_init();
	option = next;
	keeps_order = false;
	flags_of_all = next && !*next ? SLAB_DEBUG_DEFAULT : 0;
	while (next && *next) {
		next = read_block(next, &block);
		if (!block.names)
			flags_of_all = block.flags;
		keeps_order |= block.keeps_order;
	}
}

often_called bool slab_debug_keeps_order(void)
{
	return keeps_order;
}

/* Does the pattern match the name? A '*' may end the pattern. */
static bool matches(const char *name, const char *pattern, size_t length)
{
	const char *star = memchr(pattern, '*', length);

	if (star)
		return !strncmp(name, pattern, (size_t)(star - pattern));
	return strlen(name) == length && !memcmp(name, pattern, length);
}

bool slab_names_have(const char *names, size_t names_length, const char *name)
{
	const char *pattern = names, *end = names + names_length;

	while (pattern < end) {
		size_t length = strcspn(pattern, ",;");

		if (matches(name, pattern, length))
			return true;
		pattern += length + 1;
	}
	return false;
}

often_called slab_flags_t slab_debug_flags(const char *name, slab_flags_t flags)
{
	const char *next = option;
	slab_flags_t all = flags_of_all;
	struct block block;

	if (flags & SLAB_NO_USER_FLAGS)
		return flags;
	if (flags & SLAB_NOLEAKTRACE)
		all &= ~SLAB_STORE_USER;
	while (next && *next) {
		next = read_block(next, &block);
		if (block.names && slab_names_have(block.names, block.names_length, name))
			return flags | block.flags;
	}
	return flags | all;
}
