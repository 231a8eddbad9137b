/* SPDX-License-Identifier: MIT */
/*
 * Blocks of items for tagged lists, the operations on such a list as data, and a model of a list to
 * compare with: the head and the links behind it, first to last.
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
/* The head, the links of all items, and one more, which a broken list may have. */
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

/* Fills all words of all items, except the links, with what tagged_spoilt() expects. */
void tagged_fill(void);
/* The first item in which something other than the link was overwritten, or NULL. */
void *tagged_spoilt(void);

/* Links the first nr items of a block, the last item first. Returns the head of that list. */
unsigned long tagged_make(unsigned int block, unsigned int nr);
/* Writes the list behind a head to *chain. */
void tagged_walk(unsigned long head, struct tagged_chain *chain);

/*
 * Does the operation: one attempt and, if that was aborted, its slow half. op->slow: the slow half
 * only.
 */
void tagged_do(struct percpu_tagged_list *list, struct tagged_op *op);
/* The code of tagged_do(), which contains a sequence for each kind of operation. */
extern const char *const tagged_do_start, *const tagged_do_stop;
/* Does the same operation to the model. */
void tagged_do_model(struct tagged_chain *chain, struct tagged_op *op);

/* Is the list with that head the model's, and has the operation ended like the model's? */
bool tagged_is(unsigned long head, const struct tagged_chain *chain);
bool tagged_same(const struct tagged_op *a, const struct tagged_op *b);

#endif
