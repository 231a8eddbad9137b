/* SPDX-License-Identifier: MIT */
/*
 * Print what is known of an address, in Linux's words: kmem_dump_obj(), mem_dump_obj(). In a
 * module the text ends a line of the log that the caller has begun; in a program it is a line
 * of its own. Stacks follow in further lines if they are known.
 *
 * No lock is taken: the caller knows that the object's cache exists. cf. Linux
 * mm/slab_common.c: kmem_dump_obj(), mm/util.c: mem_dump_obj()
 */
#include "base/fmt.h"
#include "os/os.h"
#include "page/debug/stack_depot.h"
#include "slab/debug/debug_object.h"
#include "slab/debug/report.h"
#include "slab/slab_fast.h"

#define TEXT_BYTES 400

static void say(const void *address, const char *text)
{
	if (slab_debug_hooks.rest)
		slab_debug_hooks.rest(text);
	else
		slab_say("%p%s", address, text);
}

/* Who allocated or freed the object; NULL if its cache does not keep that. */
static const struct slab_track *track_of(const struct kmem_cache *cache, const void *object,
					 enum slab_track_kind kind)
{
	const struct page *slab = slab_of(cache, object);

	return (cache->flags & SLAB_STORE_USER) && pointer_is_valid(cache, slab, object) ?
	       object_track(cache, object, kind) : NULL;
}

/*
 * Writes about the pointer into text. Returns the object around it; NULL if it lies in front of the
 * first one. The red zone in front of an object belongs to the object, but the pointer's offset
 * counts from the user's first byte. The slab's tail counts as if more objects were there.
 */
static const void *describe(char *text, const struct kmem_cache *cache, const char *pointer)
{
	const struct page *slab = slab_of(cache, pointer);
	/* Counts from the left red zone of the first object. */
	long offset = pointer - slab_first(cache, slab);
	const struct slab_track *track;
	const char *object;
	char caller_text[SLAB_CALLER_BYTES];
	struct os_files files = { 0 };
	size_t used;

	used = fmt_format(text, TEXT_BYTES, " slab %s", cache->name);
	if (offset < 0)
		return NULL;
	object = slab_object(cache, slab, (unsigned int)((unsigned long)offset / cache->size));
	track = track_of(cache, object, TRACK_ALLOC);
	used += fmt_format(text + used, TEXT_BYTES - used, " start %016lx",
			   (unsigned long)object - cache->red_left_pad);
	if (cache->red_left_pad)
		used += fmt_format(text + used, TEXT_BYTES - used, " data offset %u",
				   cache->red_left_pad);
	used += fmt_format(text + used, TEXT_BYTES - used, " pointer offset %lu size %u",
			   (unsigned long)(pointer - object), cache->object_size);
	if (track && track->caller) {
		os_describe_in_files(&files, track->caller, caller_text, SLAB_CALLER_BYTES);
		fmt_format(text + used, TEXT_BYTES - used, " allocated at %s", caller_text);
	}
	return object;
}

static void say_stack(const char *head, const struct slab_track *track)
{
	struct os_files files = { 0 };
	const void *const *frames;
	char text[SLAB_CALLER_BYTES];
	unsigned int nr = track ? stack_depot_fetch(track->stack, &frames) : 0;

	if (nr && head)
		slab_say("%s", head);
	for (unsigned int i = 0; i < nr; i++) {
		os_describe_in_files(&files, frames[i], text, SLAB_CALLER_BYTES);
		slab_say("    %s", text);
	}
}

bool kmem_dump_obj(void *object)
{
	const struct kmem_cache *cache = slab_cache_around(object);
	const void *start;
	char text[TEXT_BYTES];

	if (!cache)
		return false;
	start = describe(text, cache, object);
	say(object, text);
	if (!start)
		return true;
	say_stack(NULL, track_of(cache, start, TRACK_ALLOC));
	say_stack(" Free path:", track_of(cache, start, TRACK_FREE));
	return true;
}

void mem_dump_obj(void *object)
{
	char text[TEXT_BYTES];

	if (kmem_dump_obj(object))
		return;
	if (slab_debug_hooks.other && slab_debug_hooks.other(object, text, sizeof(text)))
		say(object, text);
	else if (mm_is_online(object))
		say(object, " non-slab/vmalloc memory");
	else if (!object)
		say(object, " NULL pointer");
	else if (object == ZERO_SIZE_PTR)
		say(object, " zero-size pointer");
	else
		say(object, " non-paged memory");
}
