/* SPDX-License-Identifier: MIT */
/*
 * Who allocated a block, where the target knows it: caches with slab_debug=U keep it beside each
 * object, kfence_sample= beside each guarded object, profile= for the sampled blocks.
 */
#ifndef INSPECT_OWNERS_H
#define INSPECT_OWNERS_H

#include "blocks.h"

#define OWNER_FRAMES_MAX 64

struct owners {
	struct heap *heap;
	struct { uint64_t block, size; uint32_t stack; } *samples;	/* of profile=, by block */
	size_t nr_samples;
	bool has_tracks;		/* some cache has slab_debug=U */
	bool has_guarded;		/* kfence_sample= is on */
};

/* Who allocated or freed a block, as far as it is known. */
struct owner {
	uint64_t caller;		/* 0: unknown */
	uint32_t stack;			/* a number in the target's table of stacks; 0: none */
	int32_t thread;
	uint64_t milliseconds;
};

enum owner_event { OWNER_ALLOCATED, OWNER_FREED };

enum inspect_status owners_read(struct heap *heap, struct owners *owners);
void owners_free(struct owners *owners);
/* bytes: those of an object of a slab. False if nothing is known. */
bool owner_of(const struct owners *owners, const struct block *block, const struct bytes *bytes,
	      enum owner_event event, struct owner *owner);
/* The addresses of the owner's stack, its caller alone if there is none. Returns how many. */
unsigned int owner_frames(const struct owners *owners, const struct owner *owner,
			  uint64_t frames[OWNER_FRAMES_MAX]);

/* symbols.c: names of code addresses, by the target's files. */
struct symbols;
struct symbols *symbols_open(struct target *target);
void symbols_close(struct symbols *symbols);
/* "function+0x12 (file.c:34)", "libx.so+0x123", or "0x123". */
void symbols_name(struct symbols *symbols, uint64_t address, char *text, size_t bytes);

#endif
