/* SPDX-License-Identifier: MIT */
/*
 * percpu: stacks that belong to the CPU a thread happens to run on.
 *
 * 1. Purpose. Four operations on a per-CPU array of pointers (pop, push, pop_n,
 *    push_n) and two on a per-CPU linked list; tagged_list.h has those on a list of
 *    another kind. None of them locks, none makes a system call, and each takes
 *    effect with one store or not at all.
 *
 * 2. What it must not know: what the pointers mean.
 *
 * 3. Objects. There are percpu_nr_slots() slots, each a stretch of
 *    PERCPU_SLOT_BYTES behind the one before; more are made when they are wanted
 *    (slots.h). percpu_alloc() hands out the same piece of every slot; what it
 *    returns is a per-CPU pointer as in Linux: an offset that only percpu_ptr()
 *    turns into an address. Fresh pieces are zero, and a zero array has
 *    count == limit == 0: it is empty for pop and full for push. The first piece,
 *    offset 0, stays zero for ever. So a NULL array, an array that nobody has
 *    prepared, a thread whose slot index is out of range and a library that is not
 *    initialised all look alike, and only the owner's slow path has to tell them
 *    apart. (A slot that nobody has prepared is looked at inside the sequence; that
 *    reads the zero page and is written to outside.)
 *
 * 4. Who may touch what. Under rseq a slot's words are read and written only
 *    inside a restartable sequence, by the thread that the kernel says is on
 *    that slot. Without rseq (index_field == 0) an array is protected by the
 *    slot's lock, which is only ever tried: a failure counts as empty or
 *    full; a list by a compare-and-swap. The two modes never mix in a
 *    process. Remote readers (statistics) see counts that may be stale; a
 *    remote writer stops the array first (remote.h) or knows that nobody uses
 *    it any more. docs/percpu.md has the whole argument, and what becomes of
 *    slots in the life of a process.
 *
 * 5. Differences from Linux: preemption is not disabled but detected.
 *
 * 6. Failure: after PERCPU_MAX_ABORTS aborts the operation answers empty/full
 *    and the caller's slow path makes progress under its lock.
 */
#ifndef PERCPU_PERCPU_H
#define PERCPU_PERCPU_H

#include "base/atomic.h"
#include "base/compiler.h"

/* Bytes of one CPU's slot; a power of two, so that a shift finds a slot. */
#define PERCPU_SLOT_SHIFT 20
#define PERCPU_SLOT_BYTES (1UL << PERCPU_SLOT_SHIFT)
#define PERCPU_MAX_ABORTS 64
/* So many bytes at offset 0 are never handed out and stay zero. */
#define PERCPU_ZERO_BYTES 64

/*
 * Invariant: items[0 .. count-1] are valid; push goes no further than limit. A count
 * that is negative as a signed number belongs to a stopped array (remote.h). Both together
 * are one word, the count its low half (generations.h).
 */
struct percpu_array {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint32_t count;		/* Sync: owner slot */
	uint32_t limit;		/* Sync: owner slot; 0 until prepared */
#else
	uint32_t limit;
	uint32_t count;
#endif
	void *items[];		/* Sync: owner slot */
};

/*
 * A stack linked through the first word of its items. One word holds both the
 * top item and the number of items, so one store changes both:
 *
 *	head = address of the top item << 16 | number of items; 0 when empty
 *
 * and the first word of each item is the head as it was before that item was
 * pushed. Addresses have 48 bits; more than 65535 items do not fit.
 */
#define PERCPU_LIST_NR_BITS 16
#define PERCPU_LIST_MAX 0xffffUL

struct percpu_list {
	unsigned long head;		/* Sync: owner slot; remote readers take the number */
	unsigned long transaction;	/* Sync: with head, without rseq only (cas_list.h) */
} __aligned(16);

/* The free items of one block: see tagged_list.h. */
struct percpu_tagged_list {
	unsigned long head;		/* Sync: owner slot; see percpu_tagged_read() */
	unsigned long transaction;	/* Sync: with head, without rseq only (cas_list.h) */
} __aligned(16);

/* Offsets of what percpu_push_last_fast() looks at: an unsigned long and an int32_t. */
#define PERCPU_ITEM_FLAGS 0
#define PERCPU_ITEM_COUNT 48

static inline void *percpu_list_top(unsigned long head)
{
	return (void *)(head >> PERCPU_LIST_NR_BITS);
}

static inline unsigned long percpu_list_nr(unsigned long head)
{
	return head & PERCPU_LIST_MAX;
}

/*
 * An index below `limit` has a slot. The limit is nr_slots, or 0 while there is a
 * child that shares this memory (vfork.c): then nobody has a slot.
 */
struct percpu_bound {
	uint32_t limit;
	uint32_t children;
} __aligned(8);

/*
 * Words of higher layers that lie in the cache line of struct percpu_state, because malloc() reads
 * that line anyway. This layer neither reads nor writes them. Each names its owner.
 */
struct percpu_hot_words {
	/* Owner: malloc/size_classes.c, as class_small_limit. Sync: atomic relaxed */
	size_t malloc_small_limit __off_mark;
};

/*
 * Sync: written once by percpu_init(), index_field last; constant afterwards, but
 * for bound, which is one atomic word, nr_slots and sole_count.
 *
 * index_field tells where a thread's struct rseq is as well: rseq_area_of().
 */
struct percpu_state {
	unsigned long index_field __off_mark;	/* slot index minus thread pointer; 0 = none */
	uint32_t nr_cpus;
	char *slots __off_mark;			/* start of slot 0 */
	struct percpu_bound bound __off_mark;
	uint32_t nr_slots;			/* Sync: atomic; grows (slots.h) */
	int32_t sole_count;			/* Sync: atomic; see percpu_push_last_fast() */
	struct percpu_hot_words hot;
} __aligned(CACHE_LINE_BYTES);
_Static_assert(sizeof(struct percpu_state) == CACHE_LINE_BYTES, "malloc() reads one line");
extern struct percpu_state percpu __hidden;

/* A sole_count that no item has; it is this until somebody sets it. */
#define PERCPU_SOLE_NEVER INT32_MIN

/* The address of a piece in the given slot. */
static inline void *percpu_ptr(const void *piece, unsigned int slot)
{
	return percpu.slots + (unsigned long)piece + ((unsigned long)slot << PERCPU_SLOT_SHIFT);
}

/* The piece of which that is the address in the first slot. */
static inline void *percpu_piece(const void *in_first_slot)
{
	return (void *)((const char *)in_first_slot - percpu.slots);
}

/* Out of line: retries after an abort, and everything without rseq. */
void *percpu_pop_slow(struct percpu_array *array);
bool percpu_push_slow(struct percpu_array *array, void *item);
unsigned int percpu_pop_n_slow(struct percpu_array *array, void **out, unsigned int n);
unsigned int percpu_push_n_slow(struct percpu_array *array, void *const *in,
				unsigned int n);
void *percpu_list_pop_slow(struct percpu_list *list);
bool percpu_list_push_slow(struct percpu_list *list, void *item);

/*
 * RSEQ_SUPPORTED: the header has sequences. RSEQ_IN_C: they are C under a lock,
 * so that ThreadSanitizer sees what they do. RSEQ_BY_ADDRESS: they take the address of a piece
 * in the first slot, to which they add no more than the slot's offset.
 */
#ifdef USERMM_RSEQ_IN_C
#include "percpu/rseq/in_c.h"
#elif defined(__x86_64__)
#include "percpu/rseq/x86_64.h"
#elif defined(__aarch64__)
#include "percpu/rseq/aarch64.h"
#elif defined(__riscv) && __riscv_xlen == 64
#include "percpu/rseq/riscv64.h"
#else
#include "percpu/rseq/none.h"
#endif

#if !RSEQ_BY_ADDRESS
static __always_inline bool rseq_pop_at(struct percpu_array *array, void **result)
{
	return rseq_pop(percpu_piece(array), result);
}

static __always_inline bool rseq_push_at(struct percpu_array *array, void *item, bool *result)
{
	return rseq_push(percpu_piece(array), item, result);
}
#endif

/* May this thread start a sequence? */
static __always_inline bool percpu_has_sequences(void)
{
	return likely(rseq_index_field());
}

/*
 * One try each, for callers whose slow path tries again with percpu_pop() or
 * percpu_push(): NULL or false also if the sequence was aborted or there are no
 * restartable sequences.
 */
static __always_inline void *percpu_pop_fast(struct percpu_array *array)
{
	void *item;

	return percpu_has_sequences() && rseq_pop(array, &item) ? item : NULL;
}

static __always_inline bool percpu_push_fast(struct percpu_array *array, void *item)
{
	bool pushed;

	return percpu_has_sequences() && rseq_push(array, item, &pushed) && pushed;
}

/*
 * The same for who keeps percpu_ptr(array, 0) at hand, which is constant once there are slots: a
 * load less on x86-64, one more elsewhere. A NULL array has such an address as well; the address
 * must not be NULL.
 */
static __always_inline void *percpu_pop_fast_at(struct percpu_array *in_first_slot)
{
	void *item;

	return percpu_has_sequences() && rseq_pop_at(in_first_slot, &item) ? item : NULL;
}

static __always_inline bool percpu_push_fast_at(struct percpu_array *in_first_slot, void *item)
{
	bool pushed;

	return percpu_has_sequences() && rseq_push_at(in_first_slot, item, &pushed) && pushed;
}

/* The item pushed last, or NULL when the slot's array is empty. */
static __always_inline void *percpu_pop(struct percpu_array *array)
{
	void *item;

	if (percpu_has_sequences() && rseq_pop(array, &item))
		return item;
	return percpu_pop_slow(array);
}

/* False when the array is full or not prepared. */
static __always_inline bool percpu_push(struct percpu_array *array, void *item)
{
	bool pushed;

	if (percpu_has_sequences() && rseq_push(array, item, &pushed))
		return pushed;
	return percpu_push_slow(array, item);
}

/*
 * Takes up to n items; returns how many. out[] is in the array's order: the
 * item pushed last is the last one. out must have been written to before, so
 * that no page of it is touched for the first time inside the sequence.
 */
static __always_inline unsigned int percpu_pop_n(struct percpu_array *array, void **out,
						 unsigned int n)
{
	unsigned int taken;

	if (percpu_has_sequences() && rseq_pop_n(array, out, n, &taken))
		return taken;
	return percpu_pop_n_slow(array, out, n);
}

/* Puts the first items of in[] on top, as many as fit; returns how many. */
static __always_inline unsigned int percpu_push_n(struct percpu_array *array, void *const *in,
						  unsigned int n)
{
	unsigned int taken;

	if (percpu_has_sequences() && rseq_push_n(array, in, n, &taken))
		return taken;
	return percpu_push_n_slow(array, in, n);
}

/*
 * Pushes an item that is given up by its only owner: if its count is percpu.sole_count,
 * that and its flags become 0, not atomically, and it is pushed. Whoever needs counts to
 * change atomically makes sole_count what no count is, and calls percpu_restart_all()
 * (remote.h): then no thread is between comparison and store any more.
 *
 * One try, for callers whose slow path sorts it out. False if nothing happened; or, with
 * *interrupted, the sequence was aborted behind the comparison: if the count is 0 now, it was
 * made so here, and the item is the caller's; its flags may be 0 as well.
 */
static __always_inline bool percpu_push_last_fast(struct percpu_array *array, void *item,
						  bool *interrupted)
{
	bool pushed = false;

	*interrupted = false;
	if (!percpu_has_sequences())
		return false;
	return rseq_push_last(array, item, interrupted, &pushed) && pushed;
}

/*
 * The same for items in[0 .. n-1], n > 0, without flags, up to the first that is NULL or
 * cannot be given up, or does not fit; how many were pushed. If none was, the first *seen
 * were looked at when the sequence was aborted: the counts of all but the last of these are
 * 0, and that one's if it is 0 now.
 */
static __always_inline unsigned int percpu_push_n_last_fast(struct percpu_array *array,
							    void *const *in, unsigned int n,
							    uint32_t *seen)
{
	unsigned int pushed = 0;

	*seen = 0;
	if (!percpu_has_sequences() || !rseq_push_n_last(array, in, n, seen, &pushed))
		return 0;
	*seen = 0;
	return pushed;
}

/* The item pushed last, its first word still in use by the list; or NULL. */
static __always_inline void *percpu_list_pop(struct percpu_list *list)
{
	void *item;

	if (percpu_has_sequences() && rseq_list_pop(list, &item))
		return item;
	return percpu_list_pop_slow(list);
}

/*
 * False when the list is full; item's first word is then undefined. The list is
 * not NULL: offset 0 must stay zero.
 */
static __always_inline bool percpu_list_push(struct percpu_list *list, void *item)
{
	bool pushed;

	if (percpu_has_sequences() && rseq_list_push(list, item, &pushed))
		return pushed;
	return percpu_list_push_slow(list, item);
}

/* How the slots are reached, for people. */
enum percpu_mode { PERCPU_RSEQ_MM_CID, PERCPU_RSEQ_CPU_ID, PERCPU_LOCKED };

/* Maps the slots and chooses the mode; further calls do nothing. 0 or -1. */
int percpu_init(void);
enum percpu_mode percpu_mode(void);
/* Constant text: why this mode. */
const char *percpu_mode_reason(void);
/* Constant text: whose struct rseq is in use, or "none". */
const char *percpu_registration(void);
/* registration_renew() for the area in use; true if there is none. */
bool percpu_renew_registration(void);
/* registration_end() for the area in use; false if there is none. */
bool percpu_end_registration(void);

/*
 * A per-CPU pointer to bytes of every slot, zeroed, aligned to align (a power of
 * two <= 4096). NULL when the slots are used up; it may be used as an array that
 * is always empty and full. percpu_free() gives a piece back: the caller has
 * seen to it that nobody uses it.
 */
void *percpu_alloc(size_t bytes, size_t align);
/*
 * The same, but not where a store to the piece would look like one to the bytes at `read`:
 * a load that follows a store to the same offset in another page waits for
 * it on many processors. For a piece that is stored to between loads of these bytes
 * on a fast path; it is a wish, granted while there is room.
 */
void *percpu_alloc_apart(size_t bytes, size_t align, const void *read, size_t read_bytes);
/*
 * That wish for these bytes and every piece that is allocated from now on. Far fewer than a page:
 * where no offset is left for a piece none of these wishes is granted to it.
 */
void percpu_keep_apart(const void *bytes, size_t size);
void percpu_free(void *piece, size_t bytes);

/* Slots that there are; nothing is in others, but there may be more of them later. */
static inline unsigned int percpu_nr_slots(void)
{
	/* pairs with bring_up() in percpu.c, and slots.c: the slots are there */
	return atomic_load_acquire(&percpu.nr_slots);
}

/* CPUs that are possible, or simulated: as many slots may be wanted. */
static inline unsigned int percpu_nr_cpus(void)
{
	return percpu.nr_cpus;
}

/*
 * The slot that the calling thread would use now, or -1 if there is none. The
 * thread may move on before the caller looks at the answer. For slow paths: a
 * thread that has to be registered still is so afterwards (registration.h).
 */
int percpu_current_slot(void);

/*
 * Binds the calling thread to a slot, whatever CPU it runs on: tests have many
 * CPUs that way on a machine with few. False unless the mode is PERCPU_LOCKED and
 * there is such a slot. With the option simulated_cpus every thread is bound, one
 * after the other to the next slot, until it is bound elsewhere.
 */
bool percpu_bind_slot(unsigned int slot);
/* The thread follows its CPU again; under simulated_cpus it gets the next slot. */
void percpu_unbind_slot(void);

/*
 * Gives the array of the calling thread's slot its limit (1 or more, and at most
 * the items that it has room for; it may change from call to call) and touches its
 * memory, so that no sequence meets it first. An array may hold more than a limit
 * that was lowered, until items are taken. The thread may move to another slot at
 * any time; that slot's array is prepared by whoever finds it unprepared.
 */
void percpu_array_prepare(struct percpu_array *array, uint32_t limit);

/*
 * The head of the array in the calling thread's slot is written to, which changes nothing, also if
 * the array is in use or stopped. For arrays that presumably nobody has used: where memory is
 * read before it is written to that is two page faults, and pops and percpu_array_prepare() look
 * first. Nothing happens without sequences, where a visit writes before it reads.
 */
void percpu_array_touch(struct percpu_array *array);

#endif
