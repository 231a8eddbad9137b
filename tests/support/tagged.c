/* SPDX-License-Identifier: MIT */
#include "support/tagged.h"

#include <string.h>

struct tagged_item tagged_blocks[TAGGED_BLOCKS][TAGGED_ITEMS] __aligned(TAGGED_BLOCK_BYTES);
uint32_t tagged_link;

static unsigned long *link_of(void *item)
{
	return (unsigned long *)((char *)item + tagged_link);
}

static unsigned long filling(const unsigned long *word)
{
	return ~(unsigned long)word;
}

void tagged_fill(void)
{
	for (unsigned int block = 0; block < TAGGED_BLOCKS; block++)
		for (unsigned int i = 0; i < TAGGED_ITEMS; i++)
			for (unsigned int k = 0; k < TAGGED_ITEM_WORDS; k++) {
				unsigned long *word = &tagged_blocks[block][i].words[k];

				*word = filling(word);
			}
}

void *tagged_spoilt(void)
{
	for (unsigned int block = 0; block < TAGGED_BLOCKS; block++)
		for (unsigned int i = 0; i < TAGGED_ITEMS; i++)
			for (unsigned int k = 0; k < TAGGED_ITEM_WORDS; k++) {
				unsigned long *word = &tagged_blocks[block][i].words[k];

				if (word != link_of(&tagged_blocks[block][i]) &&
				    *word != filling(word))
					return &tagged_blocks[block][i];
			}
	return NULL;
}

unsigned long tagged_make(unsigned int block, unsigned int nr)
{
	/* A token may be made of any address of the block. */
	unsigned long head = percpu_tagged_token(&tagged_blocks[block][nr % TAGGED_ITEMS]);

	for (unsigned int i = 0; i < nr; i++) {
		struct tagged_item *item = &tagged_blocks[block][i];

		*link_of(item) = head;
		head = (unsigned long)item;
	}
	return head;
}

void tagged_walk(unsigned long head, struct tagged_chain *chain)
{
	chain->nr = 0;
	while (chain->nr < TAGGED_CHAIN_MAX) {
		void *item = percpu_tagged_first(head);

		chain->heads[chain->nr++] = head;
		if (!item)
			return;
		head = *link_of(item);
	}
}

static __always_inline bool swap(struct percpu_tagged_list *list, const struct tagged_op *op)
{
	bool swapped;

	if (!op->slow && percpu_has_sequences() &&
	    rseq_tagged_cas(list, op->old, op->new, &swapped))
		return swapped;
	return percpu_tagged_cas(list, op->old, op->new);
}

/* The linker defines these names for the section's ends. */
extern const char __start_text_of_tagged_do[], __stop_text_of_tagged_do[];
const char *const tagged_do_start = __start_text_of_tagged_do;
const char *const tagged_do_stop = __stop_text_of_tagged_do;

noinline __attribute__((__section__("text_of_tagged_do")))
void tagged_do(struct percpu_tagged_list *list, struct tagged_op *op)
{
	switch (op->kind) {
	case TAGGED_POP:
		op->item = op->slow ? percpu_tagged_pop_slow(list, tagged_link) :
				      percpu_tagged_pop(list, tagged_link);
		op->done = op->item != NULL;
		break;
	case TAGGED_PUSH:
		op->done = op->slow ? percpu_tagged_push_slow(list, op->item, tagged_link,
							      TAGGED_MASK) :
				      percpu_tagged_push(list, op->item, tagged_link, TAGGED_MASK);
		break;
	case TAGGED_CAS:
		op->done = swap(list, op);
	}
}

/* The block's number, from 1 on; 0: none of these. */
static unsigned long block_of(unsigned long head)
{
	unsigned long offset = head - (unsigned long)tagged_blocks;

	return offset < sizeof(tagged_blocks) ? 1 + offset / TAGGED_BLOCK_BYTES : 0;
}

void tagged_do_model(struct tagged_chain *chain, struct tagged_op *op)
{
	unsigned long head = chain->heads[0];

	op->done = false;
	switch (op->kind) {
	case TAGGED_POP:
		op->item = NULL;
		if (chain->nr < 2)
			return;
		op->item = (void *)head;
		memmove(chain->heads, chain->heads + 1, --chain->nr * sizeof(head));
		break;
	case TAGGED_PUSH:
		if (!block_of(head) || block_of(head) != block_of((unsigned long)op->item))
			return;
		memmove(chain->heads + 1, chain->heads, chain->nr++ * sizeof(head));
		chain->heads[0] = (unsigned long)op->item;
		break;
	case TAGGED_CAS:
		if (head != op->old)
			return;
		tagged_walk(op->new, chain);
	}
	op->done = true;
}

bool tagged_is(unsigned long head, const struct tagged_chain *chain)
{
	struct tagged_chain now;

	tagged_walk(head, &now);
	return now.nr == chain->nr && !memcmp(now.heads, chain->heads, now.nr * sizeof(head));
}

bool tagged_same(const struct tagged_op *a, const struct tagged_op *b)
{
	return a->done == b->done && (!a->done || a->item == b->item);
}
