// SPDX-License-Identifier: MIT
/* whatis, owners, leaks */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "leaks.h"
#include "reach.h"
#include "show/show.h"

#define FRAME_BYTES 256
/* Groups and lines for people; JSON has all. */
#define GROUPS_SHOWN 50
#define ADDRESSES_SHOWN 4

/* --- Stacks ------------------------------------------------------------------------ */

static json_t *frames_json(struct symbols *symbols, const struct owners *owners,
			   const struct owner *owner)
{
	uint64_t frames[OWNER_FRAMES_MAX];
	unsigned int nr = owner_frames(owners, owner, frames);
	json_t *stack = json_array();
	char text[FRAME_BYTES];

	for (unsigned int i = 0; i < nr; i++) {
		symbols_name(symbols, frames[i], text, sizeof(text));
		json_array_append_new(stack, json_string(text));
	}
	return stack;
}

static void print_frames(struct symbols *symbols, const struct owners *owners,
			 const struct owner *owner)
{
	uint64_t frames[OWNER_FRAMES_MAX];
	unsigned int nr = owner_frames(owners, owner, frames);
	char text[FRAME_BYTES];

	for (unsigned int i = 0; i < nr; i++) {
		symbols_name(symbols, frames[i], text, sizeof(text));
		printf("      %s\n", text);
	}
}

static bool is_known(const struct owner *owner)
{
	return owner->stack || owner->caller;
}

/* --- whatis ------------------------------------------------------------------------ */

static const char *kind_name(enum block_kind kind)
{
	static const char *const names[] = {
		[BLOCK_NONE] = "none", [BLOCK_OBJECT] = "object",
		[BLOCK_MIXED] = "mixed", [BLOCK_PAGES] = "pages",
		[BLOCK_OUTSIDE] = "mapping",
	};

	return names[kind];
}

static json_t *block_json(struct heap *heap, const struct block *block, uint64_t address)
{
	json_t *all = json_object();

	(void)heap;
	json_object_set_new(all, "address", show_address(address));
	add_text(all, "kind", kind_name(block->kind));
	json_object_set_new(all, "block", show_address(block->start));
	add_number(all, "size", block->bytes);
	json_object_set_new(all, "offset", json_integer((json_int_t)(address - block->start)));
	add_text(all, "cache", block->cache);
	add_text(all, "state", object_state_name(block->state));
	if (block->kind == BLOCK_OBJECT || block->kind == BLOCK_MIXED)
		json_object_set_new(all, "slab", show_address(block->slab.start));
	if (block->kind == BLOCK_OBJECT)
		add_number(all, "index", block->index);
	if (block->kind == BLOCK_MIXED)
		json_object_set_new(all, "record", show_address(block->record));
	return all;
}

static void print_block(const struct block *block, uint64_t address)
{
	printf("%#lx: byte %ld of the %lu bytes at %#lx, %s\n", address,
	       (long)(address - block->start), block->bytes, block->start,
	       object_state_name(block->state));
	if (block->kind == BLOCK_OBJECT)
		printf("  object %u of %u in the slab at %#lx of cache %s\n", block->index,
		       block->slab.nr, block->slab.start, block->cache);
	else if (block->kind == BLOCK_MIXED)
		printf("  in the mixed slab at %#lx\n", block->slab.start);
	else if (block->kind == BLOCK_PAGES)
		printf("  a block of whole pages\n");
	else
		printf("  %s\n", block->outside.kind == OUTSIDE_GUARDED ?
		       "a guarded object on a page of its own" : "a mapping of its own");
}

/* Who allocated the block, and who freed it. */
static void show_events(struct heap *heap, const struct block *block, json_t *all)
{
	static const char *const keys[] = { "allocated", "freed" };
	struct symbols *symbols = NULL;
	struct bytes bytes = { NULL, 0, 0 };
	struct owners owners;
	struct owner owner;
	char *slab = NULL;

	if (owners_read(heap, &owners) != INSPECT_OK)
		return;
	if (block->kind == BLOCK_OBJECT) {
		slab = malloc(block->slab.bytes);
		if (slab && target_read(heap->target, block->slab.start, slab, block->slab.bytes))
			bytes = (struct bytes){ slab, block->slab.start,
						block->slab.start + block->slab.bytes };
	}
	for (int event = OWNER_ALLOCATED; event <= OWNER_FREED; event++) {
		if (!owner_of(&owners, block, &bytes, event, &owner))
			continue;
		if (!symbols)
			symbols = symbols_open(heap->target);
		if (all) {
			json_object_set_new(all, keys[event],
					    frames_json(symbols, &owners, &owner));
		} else {
			printf("  %s by thread %d:\n", keys[event], owner.thread);
			print_frames(symbols, &owners, &owner);
		}
	}
	symbols_close(symbols);
	free(slab);
	owners_free(&owners);
}

enum inspect_status show_whatis(struct heap *heap, const struct view *view)
{
	static struct block block;
	enum inspect_status status = block_find(heap, view->address, &block);
	json_t *all;

	if (status != INSPECT_OK)
		return status;
	if (block.kind == BLOCK_NONE)
		return target_fail(heap->target, INSPECT_NO_BLOCK, "%#lx is no block: it is %s",
				   view->address, block.where);
	show_lacks(heap);
	if (!view->json) {
		print_block(&block, view->address);
		show_events(heap, &block, NULL);
		return INSPECT_OK;
	}
	all = block_json(heap, &block, view->address);
	show_events(heap, &block, all);
	return show_json(heap, all);
}

/* --- Groups of blocks -------------------------------------------------------------- */

static json_t *group_json(struct symbols *symbols, const struct owners *owners,
			  const struct leak_group *group)
{
	json_t *all = json_object(), *addresses = json_array();

	add_text(all, "cache", group->cache);
	add_number(all, "size", group->size);
	add_number(all, "blocks", group->blocks);
	add_number(all, "bytes", group->bytes);
	if (is_known(&group->owner))
		json_object_set_new(all, "stack", frames_json(symbols, owners, &group->owner));
	for (size_t i = 0; i < group->nr_addresses; i++)
		json_array_append_new(addresses, show_address(group->addresses[i]));
	json_object_set_new(all, "addresses", addresses);
	return all;
}

static enum inspect_status groups_json(struct heap *heap, const struct owners *owners,
				       struct symbols *symbols, const struct leaks *leaks)
{
	json_t *all = json_object(), *groups = json_array();

	add_number(all, "blocks", leaks->blocks);
	add_number(all, "bytes", leaks->bytes);
	for (size_t i = 0; i < leaks->nr_groups; i++)
		json_array_append_new(groups, group_json(symbols, owners, &leaks->groups[i]));
	json_object_set_new(all, "groups", groups);
	return show_json(heap, all);
}

static void print_first_bytes(const struct leak_group *group, size_t i)
{
	printf("      %#lx ", group->addresses[i]);
	for (unsigned int at = 0; at < LEAK_BYTES_SHOWN; at++)
		if (at < group->nr_first_bytes[i])
			printf(" %02x", group->first_bytes[i][at]);
		else
			printf("   ");
	printf("  ");
	for (unsigned int at = 0; at < group->nr_first_bytes[i]; at++)
		putchar(isprint(group->first_bytes[i][at]) ? group->first_bytes[i][at] : '.');
	printf("\n");
}

static void print_group(const struct owners *owners, struct symbols *symbols,
			const struct leak_group *group)
{
	printf("  %lu bytes in %lu block%s of %lu, %s\n", group->bytes, group->blocks,
	       group->blocks == 1 ? "" : "s", group->size, group->cache);
	if (is_known(&group->owner))
		print_frames(symbols, owners, &group->owner);
	for (size_t i = 0; i < group->nr_addresses && i < ADDRESSES_SHOWN; i++)
		print_first_bytes(group, i);
	if (group->blocks > ADDRESSES_SHOWN)
		printf("      and %lu more\n", group->blocks - ADDRESSES_SHOWN);
}

static void print_groups(const struct owners *owners, struct symbols *symbols,
			 const struct leaks *leaks)
{
	for (size_t i = 0; i < leaks->nr_groups && i < GROUPS_SHOWN; i++)
		print_group(owners, symbols, &leaks->groups[i]);
	if (leaks->nr_groups > GROUPS_SHOWN)
		printf("  and %zu more groups; --json has all\n", leaks->nr_groups - GROUPS_SHOWN);
}

static struct symbols *symbols_for(struct heap *heap, const struct leaks *leaks)
{
	for (size_t i = 0; i < leaks->nr_groups; i++)
		if (is_known(&leaks->groups[i].owner))
			return symbols_open(heap->target);
	return NULL;
}

/* --- leaks ------------------------------------------------------------------------- */

static void tell_progress(const char *what)
{
	fprintf(stderr, "\r\033[Kusermm inspect: %s ", what);
	fflush(stderr);
}

static void end_progress(const struct view *view)
{
	if (view->progress)
		fprintf(stderr, "\r\033[K");
}

static enum inspect_status print_leaks(struct heap *heap, const struct view *view,
				       const struct owners *owners, const struct leaks *leaks)
{
	struct symbols *symbols = symbols_for(heap, leaks);
	enum inspect_status status = INSPECT_OK;

	if (view->json) {
		status = groups_json(heap, owners, symbols, leaks);
	} else {
		printf("%lu bytes in %lu block%s that nothing reaches\n", leaks->bytes,
		       leaks->blocks, leaks->blocks == 1 ? "" : "s");
		print_groups(owners, symbols, leaks);
		if (!heap->target->is_core)
			printf("threads were paused for %.1f ms\n",
			       (double)leaks->paused_ns / 1e6);
	}
	symbols_close(symbols);
	if (status == INSPECT_OK && leaks->blocks)
		return INSPECT_LEAKS;
	return status;
}

enum inspect_status show_leaks(struct heap *heap, const struct view *view)
{
	struct leaks leaks = { .addresses_max = view->addresses_max,
			       .progress = view->progress ? tell_progress : NULL };
	struct owners owners;
	enum inspect_status status = owners_read(heap, &owners);

	if (status == INSPECT_OK)
		status = leaks_find(heap, &owners, &leaks);
	end_progress(view);
	show_lacks(heap);
	if (status == INSPECT_OK)
		status = print_leaks(heap, view, &owners, &leaks);
	if ((status == INSPECT_OK || status == INSPECT_LEAKS) && *heap->target->lacks)
		status = target_fail(heap->target, INSPECT_BAD_CORE, "what the core lacks may have "
				     "leaks, and pointers to the blocks above");
	leaks_free(&leaks);
	owners_free(&owners);
	return status;
}

/* --- owners ------------------------------------------------------------------------ */

/* Blocks in use whose owner is known, in groups of one cache, size and stack. */
struct owner_walk {
	struct leaks groups;
	const struct owners *owners;
};

static void take_owner(struct reach *reach, const struct block *block, const struct bytes *bytes,
		       void *arg)
{
	struct owner_walk *walk = arg;
	struct owner owner;

	(void)reach;
	if (owner_of(walk->owners, block, bytes, OWNER_ALLOCATED, &owner))
		leaks_add(&walk->groups, block, bytes, &owner);
}

/* Nothing is marked as reached, so all blocks in use are passed. */
static enum inspect_status walk_owners(struct heap *heap, struct owner_walk *walk)
{
	struct reach reach;
	enum inspect_status status = reach_begin(heap, &reach);

	if (status != INSPECT_OK)
		return status;
	status = reach_unreached(&reach, NULL, take_owner, walk);
	reach_end(&reach);
	leaks_sort(&walk->groups);
	return status;
}

enum inspect_status show_owners(struct heap *heap, const struct view *view)
{
	struct owner_walk walk = { .groups.addresses_max = view->addresses_max };
	struct symbols *symbols = NULL;
	struct owners owners;
	enum inspect_status status = owners_read(heap, &owners);

	walk.owners = &owners;
	if (status == INSPECT_OK && !owners.has_tracks && !owners.has_guarded &&
	    !owners.nr_samples)
		status = target_fail(heap->target, INSPECT_NO_OWNERS, "%s keeps no owners; start "
				     "it with profile=512K, slab_debug=U or kfence_sample=1000",
				     heap->target->name);
	if (status == INSPECT_OK)
		status = walk_owners(heap, &walk);
	show_lacks(heap);
	if (status == INSPECT_OK) {
		symbols = symbols_for(heap, &walk.groups);
		if (view->json) {
			status = groups_json(heap, &owners, symbols, &walk.groups);
		} else {
			printf("%lu bytes in %lu blocks whose owner is known\n", walk.groups.bytes,
			       walk.groups.blocks);
			print_groups(&owners, symbols, &walk.groups);
		}
	}
	if (status == INSPECT_OK && *heap->target->lacks)
		status = target_fail(heap->target, INSPECT_BAD_CORE, "what the core lacks may have "
				     "more");
	symbols_close(symbols);
	leaks_free(&walk.groups);
	owners_free(&owners);
	return status;
}
