/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer on caches and kmalloc: the calls that programs have, against a model that knows
 * where each object is, that no two overlap, what it holds, and what it was aligned to.
 *
 * An input is a list of calls of five bytes. The caches live as long as the process; all
 * objects are freed at an input's end.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/require.h"
#include "usermm/gfp.h"
#include "usermm/slab.h"

#define NR_SLOTS 256
#define CALL_BYTES 5
#define BULK_MAX 64
#define CONSTRUCTED 0xc0

static struct object {
	unsigned char *start;		/* NULL = the slot is empty */
	size_t size;
	struct kmem_cache *cache;	/* NULL = kmalloc's */
	unsigned char stamp;
} objects[NR_SLOTS];

struct kind {
	const char *name;
	unsigned int size, align;
	slab_flags_t flags;
	bool constructed;
};

static const struct kind kinds[] = {
	{ "fuzz-8", 8, 0, 0, false },
	{ "fuzz-40", 40, 0, 0, false },
	{ "fuzz-200-constructed", 200, 0, 0, true },
	{ "fuzz-100-line", 100, 0, SLAB_HWCACHE_ALIGN, false },
	{ "fuzz-700-aligned", 700, 512, 0, false },
	{ "fuzz-5000", 5000, 0, 0, false },
};
#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static struct kmem_cache *caches[NR_KINDS];
static unsigned char next_stamp;

/* --- The model ------------------------------------------------------------------------ */

static bool is_filled(const unsigned char *start, size_t size, unsigned char stamp)
{
	for (size_t i = 0; i < size; i++)
		if (start[i] != stamp)
			return false;
	return true;
}

static void own(struct object *object, void *start, size_t size, struct kmem_cache *cache)
{
	*object = (struct object){ start, size, cache, ++next_stamp };
	for (unsigned int i = 0; i < NR_SLOTS; i++) {
		const struct object *other = &objects[i];

		if (other != object && other->start)
			REQUIRE(object->start + size <= other->start ||
				other->start + other->size <= object->start);
	}
	REQUIRE(ksize(start) >= size);
	memset(start, object->stamp, size);
}

static void construct(void *object)
{
	memset(object, CONSTRUCTED, kinds[2].size);
}

/* Objects with a constructor go back as they came. */
static void disown(struct object *object)
{
	REQUIRE(is_filled(object->start, object->size, object->stamp));
	if (object->cache == caches[2])
		construct(object->start);
	object->start = NULL;
}

static void check_new(const unsigned char *start, const struct kind *kind, gfp_t gfp)
{
	if (kind->align)
		REQUIRE(!((uintptr_t)start & (kind->align - 1)));
	if (kind->constructed)
		REQUIRE(is_filled(start, kind->size, CONSTRUCTED));
	else if (gfp & __GFP_ZERO)
		REQUIRE(is_filled(start, kind->size, 0));
}

/* --- The calls ------------------------------------------------------------------------ */

struct call {
	uint8_t what, slot;
	uint16_t size;
	uint8_t flags;
};

static gfp_t gfp_of(const struct call *call, bool may_zero)
{
	gfp_t gfp = (call->flags & 1 ? GFP_KERNEL : GFP_NOWAIT) | __GFP_NOWARN;

	return may_zero && call->flags & 2 ? gfp | __GFP_ZERO : gfp;
}

/* Log-uniform, or a power of two, which kmalloc aligns to itself. */
static size_t size_of(const struct call *call)
{
	size_t top = 1UL << (call->flags >> 3) % 19;

	return call->flags & 4 ? top : 1 + (call->size * (top - 1) >> 16);
}

static void alloc_object(struct object *object, const struct call *call)
{
	unsigned int i = call->size % NR_KINDS;
	gfp_t gfp = gfp_of(call, !kinds[i].constructed);
	void *start = kmem_cache_alloc(caches[i], gfp);

	REQUIRE(start);
	check_new(start, &kinds[i], gfp);
	own(object, start, kinds[i].size, caches[i]);
}

static void alloc_sized(struct object *object, const struct call *call)
{
	size_t size = size_of(call);
	gfp_t gfp = gfp_of(call, true);
	void *start = kmalloc(size, gfp);

	REQUIRE(start);
	REQUIRE((size & (size - 1)) || !((uintptr_t)start & (size - 1) & 4095));
	REQUIRE(!(gfp & __GFP_ZERO) || is_filled(start, size, 0));
	own(object, start, size, NULL);
}

static void resize(struct object *object, const struct call *call)
{
	size_t size = size_of(call), kept = size < object->size ? size : object->size;
	unsigned char stamp = object->stamp;
	unsigned char *start = krealloc(object->start, size, gfp_of(call, false));

	REQUIRE(start && is_filled(start, kept, stamp));
	object->start = NULL;
	own(object, start, size, NULL);
}

static void release(struct object *object, bool by_kfree)
{
	unsigned char *start = object->start;

	disown(object);
	if (object->cache && !by_kfree)
		kmem_cache_free(object->cache, start);
	else
		kfree(start);
}

/* Allocates into empty slots: the one that the call names, and those after it. */
static void alloc_bulk(const struct call *call)
{
	unsigned int i = call->size % NR_KINDS, slot = call->slot, nr = 1 + call->flags % BULK_MAX;
	gfp_t gfp = gfp_of(call, !kinds[i].constructed);
	void *batch[BULK_MAX];
	unsigned int nr_empty = 0;

	for (unsigned int j = 0; j < NR_SLOTS; j++)
		nr_empty += !objects[j].start;
	nr = nr < nr_empty ? nr : nr_empty;
	if (!nr)
		return;
	REQUIRE(kmem_cache_alloc_bulk(caches[i], gfp, nr, batch) == (int)nr);
	for (unsigned int j = 0; j < nr; slot++) {
		struct object *object = &objects[slot % NR_SLOTS];

		if (object->start)
			continue;
		check_new(batch[j], &kinds[i], gfp);
		own(object, batch[j++], kinds[i].size, caches[i]);
	}
}

/* Frees objects of any kind: from the slot that the call names, and from those after it. */
static void free_bulk(const struct call *call)
{
	void *batch[BULK_MAX];
	unsigned int nr = 0;

	for (unsigned int j = 0; j < NR_SLOTS && nr < 1U + call->flags % BULK_MAX; j++) {
		struct object *object = &objects[(call->slot + j) % NR_SLOTS];

		if (!object->start)
			continue;
		batch[nr++] = object->start;
		disown(object);
	}
	if (nr)
		kmem_cache_free_bulk(NULL, nr, batch);
}

static void make(const struct call *call)
{
	struct object *object = &objects[call->slot % NR_SLOTS];

	if (call->what % 16 == 0)
		alloc_bulk(call);
	else if (call->what % 16 == 1)
		free_bulk(call);
	else if (call->what % 64 == 2)
		kmem_cache_shrink(caches[call->size % NR_KINDS]);
	else if (!object->start && call->what % 2)
		alloc_object(object, call);
	else if (!object->start)
		alloc_sized(object, call);
	else if (!object->cache && call->what % 3 == 0)
		resize(object, call);
	else
		release(object, call->what & 64);
}

static void make_caches(void)
{
	for (unsigned int i = 0; i < NR_KINDS; i++) {
		caches[i] = kmem_cache_create(kinds[i].name, kinds[i].size, kinds[i].align,
					      kinds[i].flags,
					      kinds[i].constructed ? construct : NULL);
		REQUIRE(caches[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!caches[0])
		make_caches();
	for (; size >= CALL_BYTES; data += CALL_BYTES, size -= CALL_BYTES) {
		struct call call = {
			data[0], data[1], (uint16_t)(data[2] | data[3] << 8), data[4],
		};

		make(&call);
	}
	for (unsigned int i = 0; i < NR_SLOTS; i++)
		if (objects[i].start)
			release(&objects[i], i % 2);
	return 0;
}
