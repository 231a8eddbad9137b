/* SPDX-License-Identifier: MIT */
/* Batches of folios whose references are dropped together. */
#ifndef KERNEL_LINUX_FOLIO_BATCH_H
#define KERNEL_LINUX_FOLIO_BATCH_H

#include <linux/mm.h>

#define FOLIO_BATCH_SIZE 31
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 1, 0)
#define PAGEVEC_SIZE FOLIO_BATCH_SIZE
#else
USERMM_REMOVED(PAGEVEC_SIZE, "7.1", "FOLIO_BATCH_SIZE")
#endif

struct folio_batch {
	unsigned char nr;	/* folios in it */
	unsigned char i;	/* index that folio_batch_next() returns next */
	struct folio *folios[FOLIO_BATCH_SIZE];
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
	return FOLIO_BATCH_SIZE - batch->nr;
}

/* Adds a folio; there must be room. Returns how many more fit. */
static inline unsigned int folio_batch_add(struct folio_batch *batch, struct folio *folio)
{
	batch->folios[batch->nr++] = folio;
	return folio_batch_space(batch);
}

static inline struct folio *folio_batch_next(struct folio_batch *batch)
{
	return batch->i < batch->nr ? batch->folios[batch->i++] : NULL;
}

/* Drops one reference of each folio, and empties the batch. */
static inline void folios_put(struct folio_batch *batch)
{
	release_pages((struct page **)batch->folios, batch->nr);
	folio_batch_reinit(batch);
}

#define folio_batch_release(batch) folios_put(batch)

#endif
