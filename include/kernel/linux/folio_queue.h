/* SPDX-License-Identifier: MIT */
/* A queue of folios in linked segments. Each folio has three marks. */
#ifndef _LINUX_FOLIO_QUEUE_H
#define _LINUX_FOLIO_QUEUE_H

#include <linux/bitops.h>
#include <linux/mm.h>
#include <linux/folio_batch.h>

struct folio_queue {
	struct folio_batch vec;
	u8 orders[FOLIO_BATCH_SIZE];
	struct folio_queue *next, *prev;
	unsigned long marks, marks2, marks3;	/* a bit for each folio */
	unsigned int rreq_id;
	unsigned int debug_id;
};

static inline void folioq_init(struct folio_queue *folioq, unsigned int rreq_id)
{
	folio_batch_init(&folioq->vec);
	folioq->next = folioq->prev = NULL;
	folioq->marks = folioq->marks2 = folioq->marks3 = 0;
	folioq->rreq_id = rreq_id;
	folioq->debug_id = 0;
}

static inline unsigned int folioq_nr_slots(const struct folio_queue *folioq __maybe_unused)
{
	return FOLIO_BATCH_SIZE;
}

static inline unsigned int folioq_count(struct folio_queue *folioq)
{
	return folio_batch_count(&folioq->vec);
}

static inline bool folioq_full(struct folio_queue *folioq)
{
	return folioq_count(folioq) >= folioq_nr_slots(folioq);
}

/* Appends the folio. Returns its slot. */
static inline unsigned int folioq_append(struct folio_queue *folioq, struct folio *folio)
{
	unsigned int slot = folioq->vec.nr++;

	folioq->vec.folios[slot] = folio;
	folioq->orders[slot] = (u8)folio_order(folio);
	return slot;
}

static inline struct folio *folioq_folio(const struct folio_queue *folioq, unsigned int slot)
{
	return folioq->vec.folios[slot];
}

static inline unsigned int folioq_folio_order(const struct folio_queue *folioq, unsigned int slot)
{
	return folioq->orders[slot];
}

static inline size_t folioq_folio_size(const struct folio_queue *folioq, unsigned int slot)
{
	return PAGE_SIZE << folioq->orders[slot];
}

static inline void folioq_clear(struct folio_queue *folioq, unsigned int slot)
{
	folioq->vec.folios[slot] = NULL;
	clear_bit(slot, &folioq->marks);
	clear_bit(slot, &folioq->marks2);
	clear_bit(slot, &folioq->marks3);
}

#define folioq_is_marked(folioq, slot) test_bit(slot, &(folioq)->marks)
#define folioq_mark(folioq, slot) set_bit(slot, &(folioq)->marks)
#define folioq_unmark(folioq, slot) clear_bit(slot, &(folioq)->marks)
#define folioq_is_marked2(folioq, slot) test_bit(slot, &(folioq)->marks2)
#define folioq_mark2(folioq, slot) set_bit(slot, &(folioq)->marks2)
#define folioq_unmark2(folioq, slot) clear_bit(slot, &(folioq)->marks2)
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)
#define folioq_is_marked3(folioq, slot) test_bit(slot, &(folioq)->marks3)
#define folioq_mark3(folioq, slot) set_bit(slot, &(folioq)->marks3)
#define folioq_unmark3(folioq, slot) clear_bit(slot, &(folioq)->marks3)
#else
USERMM_REMOVED(folioq_is_marked3, "7.2", "two marks")
USERMM_REMOVED(folioq_mark3, "7.2", "two marks")
USERMM_REMOVED(folioq_unmark3, "7.2", "two marks")
#endif

#endif
