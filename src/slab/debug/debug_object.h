/* SPDX-License-Identifier: MIT */
/* Where debugging's bytes lie in an object; see debug.h, 3. For the files of this folder. */
#ifndef SLAB_DEBUG_DEBUG_OBJECT_H
#define SLAB_DEBUG_DEBUG_OBJECT_H

#include "mm/page_flags.h"
#include "slab/debug/debug.h"
#include "slab/freeptr.h"

#define BYTE_RED_INACTIVE	0xbb
#define BYTE_RED_ACTIVE		0xcc
#define BYTE_PADDING		0x5a
#define BYTE_FREE		0x6b
#define BYTE_FREE_END		0xa5

#define WORD_BYTES ((unsigned int)sizeof(void *))

/* Who allocated the object last, or freed it last. */
struct slab_track {
	const void *caller;		/* NULL: nobody yet */
	uint32_t stack;			/* handle in the stack depot; 0: none was kept */
	uint32_t cpu;
	int32_t thread;
	uint64_t milliseconds;
};

enum slab_track_kind { TRACK_ALLOC, TRACK_FREE, NR_TRACKS };

/* debug_traces.c: prints who has the objects of all caches with SLAB_STORE_USER. */
struct fmt_writer;
void slab_print_alloc_traces(struct fmt_writer *out);

static inline bool link_is_outside(const struct kmem_cache *cache)
{
	return cache->offset >= cache->inuse;
}

static inline unsigned int link_end(const struct kmem_cache *cache)
{
	return link_is_outside(cache) ? cache->inuse + WORD_BYTES : cache->inuse;
}

static inline bool keeps_size(const struct kmem_cache *cache)
{
	return (cache->flags & SLAB_STORE_USER) && (cache->flags & SLAB_KMALLOC);
}

/* Does a free fill the object? Not if readers or the constructor rely on its bytes. */
static inline bool poisons_objects(const struct kmem_cache *cache)
{
	return (cache->flags & SLAB_POISON) && !(cache->flags & SLAB_TYPESAFE_BY_RCU) &&
	       !cache->ctor;
}

/* Where the padding behind an object begins and ends, as offsets from the object. */
static inline unsigned int padding_start(const struct kmem_cache *cache)
{
	unsigned int end = link_end(cache);

	if (cache->flags & SLAB_STORE_USER)
		end += NR_TRACKS * (unsigned int)sizeof(struct slab_track);
	if (keeps_size(cache))
		end += WORD_BYTES;
	return end;
}

static inline unsigned int padding_end(const struct kmem_cache *cache)
{
	return cache->size - cache->red_left_pad;
}

static inline struct slab_track *object_track(const struct kmem_cache *cache, const void *object,
					      enum slab_track_kind kind)
{
	return (struct slab_track *)((char *)object + link_end(cache)) + kind;
}

static inline unsigned long *object_asked(const struct kmem_cache *cache, const void *object)
{
	return (unsigned long *)object_track(cache, object, NR_TRACKS);
}

static inline char *slab_object(const struct kmem_cache *cache, const struct page *slab,
				unsigned int index)
{
	return slab_first(cache, slab) + cache->red_left_pad + (size_t)index * cache->size;
}

static inline unsigned int slab_index(const struct kmem_cache *cache, const struct page *slab,
				      const void *object)
{
	return (unsigned int)(((const char *)object - slab_object(cache, slab, 0)) / cache->size);
}

/* NULL, which ends a chain, is valid. */
static inline bool pointer_is_valid(const struct kmem_cache *cache, const struct page *slab,
				    const void *object)
{
	unsigned long offset = (unsigned long)object - (unsigned long)slab_object(cache, slab, 0);
	/* slab->objects may be wrong, and only caches with debugging check it. */
	unsigned long nr = cache_is_debugged(cache) ? slab->objects : slab_nr_objects(cache, slab);

	return !object || (offset < nr * cache->size &&
			   !(offset % cache->size));
}

/* Which objects of a slab are on its freelist. */
struct slab_map {
	unsigned long bits[(SLAB_OBJECTS_MAX + 1) / 64];
};

static inline bool map_has(const struct slab_map *map, unsigned int index)
{
	return map->bits[index / 64] >> (index % 64) & 1;
}

void slab_map_fill(struct slab_map *map, const struct kmem_cache *cache, const struct page *slab);

/* debug_check.c. The caller holds the node's lock, unless nobody else knows the slab. */
/* Fills the object's red zones, and its bytes if the cache poisons objects. */
void slab_init_object(const struct kmem_cache *cache, void *object, uint8_t red);
/* red: what the red zones should hold, so whether the object is free. False if damaged. */
bool slab_check_object(const struct kmem_cache *cache, struct page *slab, void *object,
		       uint8_t red);
bool slab_check_slab(const struct kmem_cache *cache, struct page *slab);
void slab_check_tail(const struct kmem_cache *cache, struct page *slab);
/*
 * Is the object on the freelist? Mends the list and the counts where possible.
 * With object NULL: are list and counts usable now?
 */
bool slab_on_freelist(struct kmem_cache *cache, struct page *slab, const void *object);

/* debug_track.c */
#define SLAB_CALLER_BYTES 200
/* This caller, its stack, CPU, thread and time. Call it without a lock. */
struct slab_track slab_track_now(const void *caller);
/* Like slab_track_now() if the cache has SLAB_STORE_USER; else all zero. */
struct slab_track slab_track_take(const struct kmem_cache *cache, const void *caller);
/* Sync: the caller holds the first node's lock, or defers the object. */
void slab_track_set(const struct kmem_cache *cache, void *object, enum slab_track_kind kind,
		    const struct slab_track *track);
void slab_say_track(const char *what, const struct slab_track *track);
/* Prints only the stack. */
void slab_say_frames(const struct slab_track *track);
void slab_say_tracks(const struct kmem_cache *cache, const void *object);

/* debug_report.c */
/* True if a test counted the error; then nothing is printed. */
bool slab_error_is_counted(void);
/* Print the reason, and all that is known of the object, or of the slab. */
void slab_object_error(const struct kmem_cache *cache, const struct page *slab,
		       const void *object, const char *reason);
void slab_error(const struct kmem_cache *cache, const struct page *slab, const char *format, ...)
	__printf(3, 4);
/* Says that this object is freed although no object of the slab is in use. */
void slab_empty_error(const struct kmem_cache *cache, const struct page *slab, const void *object);
/* Says what was mended; format is a literal. Tests count it like an error. */
#define slab_fixed(cache, format, ...)						\
	do {									\
		if (!slab_error_is_counted())					\
			slab_say("FIX %s: " format, (cache)->name, ##__VA_ARGS__); \
	} while (0)
/* Reports that the slab's tail, of this many bytes, holds other bytes than padding. */
void slab_tail_error(const struct kmem_cache *cache, const struct page *slab, const uint8_t *tail,
		     unsigned int bytes, const uint8_t *fault, const uint8_t *end);
void slab_trace(const struct kmem_cache *cache, const struct page *slab, const void *object,
		bool is_alloc);

#endif
