/* SPDX-License-Identifier: MIT */
/*
 * Who allocated an object and who freed it (SLAB_STORE_USER), each with a stack. Equal stacks
 * are kept once (page/debug/stack_depot.h). cf. Linux mm/slub.c: set_track(), print_tracking().
 *
 * A stack is walked before the cache's lock is taken, since the unwinder is not our code.
 */
#include "os/os.h"
#include "page/debug/stack_depot.h"
#include "slab/debug/debug_object.h"

struct slab_track slab_track_now(const void *caller)
{
	return (struct slab_track){
		.caller = caller,
		.stack = stack_depot_save_from(caller),
		.cpu = os_current_cpu(),
		.thread = os_current_thread(),
		.milliseconds = os_time_ms(),
	};
}

struct slab_track slab_track_take(const struct kmem_cache *cache, const void *caller)
{
	if (!(cache->flags & SLAB_STORE_USER))
		return (struct slab_track){ 0 };
	return slab_track_now(caller);
}

void slab_track_set(const struct kmem_cache *cache, void *object, enum slab_track_kind kind,
		    const struct slab_track *track)
{
	if (cache->flags & SLAB_STORE_USER)
		*object_track(cache, object, kind) = *track;
}

static void say_frames(struct os_files *files, const struct slab_track *track)
{
	const void *const *frames;
	char text[SLAB_CALLER_BYTES];
	unsigned int nr = stack_depot_fetch(track->stack, &frames);

	if (!nr)
		slab_say("object allocation/free stack trace missing");
	for (unsigned int i = 0; i < nr; i++) {
		os_describe_in_files(files, frames[i], text, SLAB_CALLER_BYTES);
		slab_say(" %s", text);
	}
}

static void say_track(struct os_files *files, const char *what, const struct slab_track *track)
{
	char text[SLAB_CALLER_BYTES];

	if (!track->caller)
		return;
	os_describe_in_files(files, track->caller, text, SLAB_CALLER_BYTES);
	slab_say("%s in %s age=%lu cpu=%u pid=%d", what, text,
		 (unsigned long)(os_time_ms() - track->milliseconds), track->cpu, track->thread);
	say_frames(files, track);
}

void slab_say_track(const char *what, const struct slab_track *track)
{
	struct os_files files = { 0 };

	say_track(&files, what, track);
}

void slab_say_frames(const struct slab_track *track)
{
	struct os_files files = { 0 };

	say_frames(&files, track);
}

void slab_say_tracks(const struct kmem_cache *cache, const void *object)
{
	struct os_files files = { 0 };

	if (!(cache->flags & SLAB_STORE_USER))
		return;
	say_track(&files, "Allocated", object_track(cache, object, TRACK_ALLOC));
	say_track(&files, "Freed", object_track(cache, object, TRACK_FREE));
}
