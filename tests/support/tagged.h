/* SPDX-License-Identifier: MIT */
/*
 * Blocks of items for tagged lists, the operations on such a list as data, and a model
 * that they are compared with: the head and the links behind it, first to last.
 */
#ifndef SUPPORT_TAGGED_H
#define SUPPORT_TAGGED_H

#include <kunit/test.h>

#include "percpu/tagged_list.h"

#define TAGGED_ITEMS 16		/* of a block */
#define TAGGED_BLOCKS 3
#define TAGGED_ITEM_WORDS 8
#define TAGGED_BLOCK_BYTES (TAGGED_ITEMS * TAGGED_ITEM_WORDS * sizeof(unsigned long))
#define TAGGED_MASK (TAGGED_BLOCK_BYTES - 1)
/* A head, the links of all items, and one too many. */
#define TAGGED_CHAIN_MAX (TAGGED_ITEMS + 2)

struct tagged_item {
	unsigned long words[TAGGED_ITEM_WORDS];
};

extern struct tagged_item tagged_blocks[TAGGED_BLOCKS][TAGGED_ITEMS];

/* Where the link is; every other word of an item must stay as it is. */
extern uint32_t tagged_link;

struct tagged_chain {
	unsigned int nr;
	unsigned long heads[TAGGED_CHAIN_MAX];	/* the last one is 0 or a token */
};

enum tagged_kind { TAGGED_POP, TAGGED_PUSH, TAGGED_CAS };

struct tagged_op {
	enum tagged_kind kind;
	bool slow;			/* its slow half only */
	void *item;			/* pushed; or what pop took */
	unsigned long old, new;		/* of the swap */
	bool done;
};

/* All words of all items but the links become what they are later compared with. */
void tagged_fill(void);
/* The first item that was written to elsewhere than in its link, or NULL. */
void *tagged_spoilt(void);

/* Links the first nr items of a block, the last of them first; the head of that list. */
unsigned long tagged_make(unsigned int block, unsigned int nr);
/* What hangs on a head. */
void tagged_walk(unsigned long head, struct tagged_chain *chain);

/* One try and then its slow half, if there was none yet. */
void tagged_do(struct percpu_tagged_list *list, struct tagged_op *op);
/* Its text, with a sequence for each kind. */
extern const char *const tagged_do_start, *const tagged_do_stop;
/* Does it to the model. */
void tagged_do_model(struct tagged_chain *chain, struct tagged_op *op);

/* Is the list with that head the model's, and has the operation ended like the model's? */
bool tagged_is(unsigned long head, const struct tagged_chain *chain);
bool tagged_same(const struct tagged_op *a, const struct tagged_op *b);

#endif
