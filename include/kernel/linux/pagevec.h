/* SPDX-License-Identifier: MIT */
/* Folios whose references are dropped together. */
#ifndef KERNEL_LINUX_PAGEVEC_H
#define KERNEL_LINUX_PAGEVEC_H

#include <linux/mm.h>

#define PAGEVEC_SIZE 31

struct folio_batch {
	unsigned char nr;	/* folios in it */
	unsigned char i;	/* the one that folio_batch_next() returns */
	struct folio *folios[PAGEVEC_SIZE];
};

static inline void folio_batch_reinit(struct folio_batch *batch)
{
	batch->nr = 0;
	batch->i = 0;
}

#define folio_batch_init(batch) folio_batch_reinit(batch)

static inline unsigned int folio_batch_count(const struct folio_batch *batch)
{
	return batch->nr;
}

static inline unsigned int folio_batch_space(const struct folio_batch *batch)
{
	return PAGEVEC_SIZE - batch->nr;
}

/* There has to be room; how many more there is room for. */
static inline unsigned int folio_batch_add(struct folio_batch *batch, struct folio *folio)
{
	batch->folios[batch->nr++] = folio;
	return folio_batch_space(batch);
}

static inline struct folio *folio_batch_next(struct folio_batch *batch)
{
	return batch->i < batch->nr ? batch->folios[batch->i++] : NULL;
}

/* Drops one reference of each; the batch is empty then. */
static inline void folios_put(struct folio_batch *batch)
{
	release_pages((struct page **)batch->folios, batch->nr);
	folio_batch_reinit(batch);
}

#define folio_batch_release(batch) folios_put(batch)

#endif
