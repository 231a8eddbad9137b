/* SPDX-License-Identifier: MIT */
/* The bytes of an object that debugging knows; see debug.h, 3. For debug*.c. */
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

/* Who had the object last. */
struct slab_track {
	const void *caller;		/* NULL: nobody yet */
	uint32_t stack;			/* in the depot; 0: none could be kept */
	uint32_t cpu;
	int32_t thread;
	uint64_t milliseconds;
};

enum slab_track_kind { TRACK_ALLOC, TRACK_FREE, NR_TRACKS };

/* debug_traces.c: who has the objects of all caches that keep their users. */
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

/* May the bytes of a free object be changed? */
static inline bool poisons_objects(const struct kmem_cache *cache)
{
	return (cache->flags & SLAB_POISON) && !(cache->flags & SLAB_TYPESAFE_BY_RCU) &&
	       !cache->ctor;
}

/* Where the padding behind an object begins and ends, seen from the object. */
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
	/* What a slab says of itself may be wrong, but without debugging is not looked at. */
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

/* debug_check.c; the node's lock is held, but for a slab that nobody else knows. */
/* Fills the object and its red zones; what is in use keeps its bytes unless poisoned. */
void slab_init_object(const struct kmem_cache *cache, void *object, uint8_t red);
/* red says whether the object should be free or in use. False if anything was wrong. */
bool slab_check_object(const struct kmem_cache *cache, struct page *slab, void *object,
		       uint8_t red);
bool slab_check_slab(const struct kmem_cache *cache, struct page *slab);
void slab_check_tail(const struct kmem_cache *cache, struct page *slab);
/*
 * Is the object on the freelist? Mends the list and the counts, as far as they can be.
 * Without an object: could they?
 */
bool slab_on_freelist(struct kmem_cache *cache, struct page *slab, const void *object);

/* debug_track.c */
#define SLAB_CALLER_BYTES 200
/* What is known of this call; no lock is held. */
struct slab_track slab_track_now(const void *caller);
/* The same where the cache keeps it. */
struct slab_track slab_track_take(const struct kmem_cache *cache, const void *caller);
/* Sync: the cache's lock. */
void slab_track_set(const struct kmem_cache *cache, void *object, enum slab_track_kind kind,
		    const struct slab_track *track);
void slab_say_track(const char *what, const struct slab_track *track);
/* Its stack alone. */
void slab_say_frames(const struct slab_track *track);
void slab_say_tracks(const struct kmem_cache *cache, const void *object);

/* debug_report.c */
/* True if a test counted the error and nothing is to be said. */
bool slab_error_is_counted(void);
/* Why it is no good, and what is known of the object, or of the slab. */
void slab_object_error(const struct kmem_cache *cache, const struct page *slab,
		       const void *object, const char *reason);
void slab_error(const struct kmem_cache *cache, const struct page *slab, const char *format, ...)
	__printf(3, 4);
/* The object was to be freed, and none of the slab is in use. */
void slab_empty_error(const struct kmem_cache *cache, const struct page *slab, const void *object);
/* What was mended; format is a literal. Counted as errors are. */
#define slab_fixed(cache, format, ...)						\
	do {									\
		if (!slab_error_is_counted())					\
			slab_say("FIX %s: " format, (cache)->name, ##__VA_ARGS__); \
	} while (0)
/* bytes from a tail of the slab that should hold nothing but padding. */
void slab_tail_error(const struct kmem_cache *cache, const struct page *slab, const uint8_t *tail,
		     unsigned int bytes, const uint8_t *fault, const uint8_t *end);
void slab_trace(const struct kmem_cache *cache, const struct page *slab, const void *object,
		bool is_alloc);

#endif
