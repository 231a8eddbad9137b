/* SPDX-License-Identifier: MIT */
/*
 * percpu: stacks that belong to the CPU a thread happens to run on.
 *
 * 1. Purpose. Four operations on a per-CPU array of pointers (pop, push, pop_n, push_n) and two on
 *    a per-CPU linked list (pop, push). tagged_list.h has a list of another kind, generations.h an
 *    array in two halves. With restartable sequences no operation takes a lock, executes an atomic
 *    read-modify-write or makes a system call. Each operation takes effect by one store, or not at
 *    all.
 *
 * 2. What it must not know: what the pointers mean.
 *
 * 3. Objects. There are percpu_nr_slots() slots of PERCPU_SLOT_BYTES each, one behind the other.
 *    More slots are made when threads need them (slots.h). percpu_alloc() hands out the same piece
 *    of every slot. It returns a per-CPU pointer as in Linux: an offset that only percpu_ptr()
 *    turns into an address.
 *
 *    Fresh pieces are zero. A zero array has count == limit == 0: it is empty for pop and full for
 *    push. The first piece, at offset 0, stays zero for ever. So a fast path sees the same in four
 *    cases, and only the caller's slow path tells them apart: a NULL array, an array that nobody
 *    has prepared, a thread whose slot index is out of range, a library that is not initialised. (A
 *    sequence may read an unprepared array, which maps the system's zero page. The first write to
 *    the array happens outside of sequences, because a page fault aborts a sequence.)
 *
 * 4. Who may touch what ("Sync: owner slot" at a field means this). Under rseq only a restartable
 *    sequence reads and writes a slot's words, in the thread that the kernel says is on that slot:
 *    the slot's owner. Exceptions: percpu_array_prepare() and percpu_generations_prepare() store
 *    limits outside of sequences, and say why this is safe; percpu_tagged_read() and statistics
 *    read words that may be stale; a thread that changes another slot's array stops the array first
 *    (remote.h), or knows that nobody uses the array any more.
 *
 *    Without rseq (index_field == 0) the slot's lock protects an array. Threads only try this lock:
 *    a failed try counts as empty or full. A list is changed by compare-and-swap (cas_list.h). A
 *    process has one of the two modes, never both.
 *
 *    docs/percpu.md has the whole argument, and what happens to slots in the life of a process.
 *
 * 5. Differences from Linux: preemption is not disabled but detected.
 *
 * 6. Failure. After PERCPU_MAX_ABORTS aborts in a row an operation answers "empty" or "full". Then
 *    the caller's slow path makes progress under a lock.
 */
#ifndef PERCPU_PERCPU_H
#define PERCPU_PERCPU_H

#include "base/atomic.h"
#include "base/compiler.h"

/* Bytes of a slot: a power of two, so that a shift finds a slot. */
#define PERCPU_SLOT_SHIFT 20
#define PERCPU_SLOT_BYTES (1UL << PERCPU_SLOT_SHIFT)
#define PERCPU_MAX_ABORTS 64
/* Bytes at offset 0 of each slot that are never handed out and stay zero. */
#define PERCPU_ZERO_BYTES 64

/*
 * Invariant: items[0 .. count - 1] are valid, and push fills no more than limit. A count that is
 * negative as a signed number says that another thread has stopped the array (remote.h). count and
 * limit together are one word; count is its low half (generations.h).
 */
struct percpu_array {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint32_t count;		/* Sync: owner slot */
	uint32_t limit;		/* Sync: owner slot; 0 until prepared */
#else
	uint32_t limit;
	uint32_t count;
#endif
	unsigned long unused;		/* items begin at a multiple of 16 bytes */
	void *items[];		/* Sync: owner slot */
};
_Static_assert(offsetof(struct percpu_array, items) == 16, "the sequences know it");

/*
 * A stack that is linked through the first word of its items. One word holds both the top item and
 * the number of items, so one store changes both:
 *
 *	head = address of the top item << 16 | number of items; 0 when empty
 *
 * The first word of each item is the head before this item was pushed. Addresses have 48 bits. A
 * list holds at most 65535 items.
 */
#define PERCPU_LIST_NR_BITS 16
#define PERCPU_LIST_MAX 0xffffUL

struct percpu_list {
	unsigned long head;		/* Sync: owner slot; others may read the number */
	unsigned long transaction;	/* Sync: with head; only without rseq (cas_list.h) */
} __aligned(16);

/* The free items of one block: see tagged_list.h. */
struct percpu_tagged_list {
	unsigned long head;		/* Sync: owner slot; see percpu_tagged_read() */
	unsigned long transaction;	/* Sync: with head; only without rseq (cas_list.h) */
} __aligned(16);

/* Offsets in an item, for percpu_push_last_fast(): flags (unsigned long), count (int32_t). */
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
 * A slot index below `limit` has a slot. The limit is nr_slots. While a child shares this memory
 * the limit is 0 (vfork.c), so that nobody has a slot. `children` is the number of such children.
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
 * Sync: written once by percpu_init(), index_field last. Constant afterwards, except for bound (one
 * atomic word), nr_slots, sole_count and hot.
 *
 * index_field also gives the place of a thread's struct rseq: rseq_area_of().
 */
struct percpu_state {
	/* Address of the slot index minus thread pointer. 0: no restartable sequences */
	unsigned long index_field __off_mark;
	uint32_t nr_cpus;
	char *slots __off_mark;			/* start of slot 0 */
	struct percpu_bound bound __off_mark;
	uint32_t nr_slots;			/* Sync: atomic; only grows (slots.h) */
	int32_t sole_count;			/* Sync: atomic; see percpu_push_last_fast() */
	struct percpu_hot_words hot;
} __aligned(CACHE_LINE_BYTES);
_Static_assert(sizeof(struct percpu_state) == CACHE_LINE_BYTES, "malloc() reads one line");
extern struct percpu_state percpu __hidden;

/* The first sole_count: no item has this count. */
#define PERCPU_SOLE_NEVER INT32_MIN

/* The piece's address in the given slot. */
static inline void *percpu_ptr(const void *piece, unsigned int slot)
{
	return percpu.slots + (unsigned long)piece + ((unsigned long)slot << PERCPU_SLOT_SHIFT);
}

/* The piece that has this address in the first slot. */
static inline void *percpu_piece(const void *in_first_slot)
{
	return (void *)((const char *)in_first_slot - percpu.slots);
}

/* Out of line: tries again after an abort, or works without rseq. */
void *percpu_pop_slow(struct percpu_array *array);
bool percpu_push_slow(struct percpu_array *array, void *item);
unsigned int percpu_pop_n_slow(struct percpu_array *array, void **out, unsigned int n);
unsigned int percpu_push_n_slow(struct percpu_array *array, void *const *in,
				unsigned int n);
void *percpu_list_pop_slow(struct percpu_list *list);
bool percpu_list_push_slow(struct percpu_list *list, void *item);

/*
 * Each of these headers defines three constants. RSEQ_SUPPORTED: it has sequences. RSEQ_IN_C: they
 * are C under a lock, so that ThreadSanitizer sees what they do. RSEQ_BY_ADDRESS: it has
 * rseq_pop_at() and rseq_push_at(), which take a piece's address in the first slot and only add the
 * slot's offset.
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

/* May this thread start a sequence? */
static __always_inline bool percpu_has_sequences(void)
{
	return likely(rseq_index_field());
}

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

/*
 * One try each, for callers whose slow path tries again with percpu_pop() or percpu_push(). NULL or
 * false may also mean that the sequence was aborted, or that there are no restartable sequences.
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
 * As percpu_pop_fast() and percpu_push_fast(), without asking percpu_has_sequences(): the caller
 * has seen a word that is set only if that is true.
 */
static __always_inline void *percpu_pop_sequence(struct percpu_array *array)
{
	void *item;

	return RSEQ_SUPPORTED && rseq_pop(array, &item) ? item : NULL;
}

static __always_inline bool percpu_push_sequence(struct percpu_array *array, void *item)
{
	bool pushed;

	return RSEQ_SUPPORTED && rseq_push(array, item, &pushed) && pushed;
}

/*
 * As percpu_pop_fast() and percpu_push_fast(), for callers that keep percpu_ptr(array, 0), which is
 * constant once slots exist. This saves a load on x86-64 and costs one elsewhere. A NULL array has
 * such an address too; the address itself must not be NULL.
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

/* The item pushed last; NULL if the slot's array is empty. */
static __always_inline void *percpu_pop(struct percpu_array *array)
{
	void *item;

	if (percpu_has_sequences() && rseq_pop(array, &item))
		return item;
	return percpu_pop_slow(array);
}

/* False if the array is full or not prepared. */
static __always_inline bool percpu_push(struct percpu_array *array, void *item)
{
	bool pushed;

	if (percpu_has_sequences() && rseq_push(array, item, &pushed))
		return pushed;
	return percpu_push_slow(array, item);
}

/*
 * Takes up to n items; returns how many. out[] is in the array's order: the item pushed last is the
 * last one. The caller must have written to out before. Otherwise the sequence could be the first
 * to touch a page of it, and each page fault aborts the sequence.
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
 * Pushes an item that its only owner gives up. If the item's count is percpu.sole_count, its count
 * and flags become 0, not atomically, and the item is pushed. From some point on a process may need
 * counts to change atomically: then it sets sole_count to a value that no count has, and calls
 * percpu_restart_all() (remote.h). After that no thread is between the comparison and the store.
 *
 * One try, for callers whose slow path sorts out the rest. False with *interrupted false: nothing
 * happened. False with *interrupted true: the sequence was aborted after the comparison. If the
 * count is 0 now, this call set it to 0 and the item belongs to the caller; the flags may be 0 too.
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
 * As percpu_push_last_fast(), for items in[0 .. n - 1], n > 0. It ends at the first item that is
 * NULL, has flags, cannot be given up or does not fit, and returns how many it pushed. If it pushed
 * none, the sequence may have been aborted after it had found the counts of the first *seen items
 * right. It has then set the counts of these items to 0, except perhaps the last one's: that is 0
 * now if the sequence has set it.
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

/* The item pushed last, or NULL. The item's first word still holds what the list put there. */
static __always_inline void *percpu_list_pop(struct percpu_list *list)
{
	void *item;

	if (percpu_has_sequences() && rseq_list_pop(list, &item))
		return item;
	return percpu_list_pop_slow(list);
}

/*
 * False if the list is full; the item's first word is then undefined. The list must not be NULL: a
 * push would store to offset 0, which must stay zero.
 */
static __always_inline bool percpu_list_push(struct percpu_list *list, void *item)
{
	bool pushed;

	if (percpu_has_sequences() && rseq_list_push(list, item, &pushed))
		return pushed;
	return percpu_list_push_slow(list, item);
}

/* How threads reach their slots. */
enum percpu_mode { PERCPU_RSEQ_MM_CID, PERCPU_RSEQ_CPU_ID, PERCPU_LOCKED };

/* Maps the first slots and chooses the mode. Later calls do nothing. Returns 0 or -1. */
int percpu_init(void);
enum percpu_mode percpu_mode(void);
/* Why this mode was chosen: constant text. */
const char *percpu_mode_reason(void);
/* Whose struct rseq is in use, or "none": constant text. */
const char *percpu_registration(void);
/* registration_renew() for the area in use. True if there is none. */
bool percpu_renew_registration(void);
/* registration_end() for the area in use. False if there is none. */
bool percpu_end_registration(void);

/*
 * Returns a per-CPU pointer to `bytes` bytes of every slot. They are zero, and aligned to `align`
 * (a power of two <= 4096). NULL if no room is left; NULL works as an array that is always empty
 * and full. percpu_free() gives a piece back. The caller makes sure that nobody uses the piece any
 * more.
 */
void *percpu_alloc(size_t bytes, size_t align);
/*
 * As percpu_alloc(), but within a page the piece lies at other offsets than the bytes at `read`. On
 * many processors a load waits for an earlier store to the same offset of another page. So this is
 * for a piece to which a fast path stores between its loads of these bytes. The offsets are only a
 * wish: without room the piece is placed like any other.
 */
void *percpu_alloc_apart(size_t bytes, size_t align, const void *read, size_t read_bytes);
/*
 * From now on every piece is allocated apart from these bytes, too, as by percpu_alloc_apart(). All
 * such bytes together must be far fewer than a page: if no offset is left for a piece, all its
 * wishes are ignored.
 */
void percpu_keep_apart(const void *bytes, size_t size);
void percpu_free(void *piece, size_t bytes);

/* The number of slots, which may grow later. Nothing is kept outside of them. */
static inline unsigned int percpu_nr_slots(void)
{
	/* pairs with bring_up() in percpu.c and make_up_to() in slots.c: the slots are mapped */
	return atomic_load_acquire(&percpu.nr_slots);
}

/* The number of possible (or simulated) CPUs. No more slots than this are needed. */
static inline unsigned int percpu_nr_cpus(void)
{
	return percpu.nr_cpus;
}

/*
 * The slot that the calling thread would use now; -1 if it has none. The thread may move before the
 * caller looks at the answer. For slow paths: this registers a thread that still needs it
 * (registration.h).
 */
int percpu_current_slot(void);

/*
 * Binds the calling thread to a slot, whatever CPU it runs on. So tests have many CPUs on a machine
 * with few. False unless the mode is PERCPU_LOCKED and the slot exists. With the option
 * simulated_cpus every thread is bound from the start: each new thread to the next slot.
 */
bool percpu_bind_slot(unsigned int slot);
/* The thread follows its CPU again. With simulated_cpus it gets the next slot instead. */
void percpu_unbind_slot(void);

/*
 * Gives the array of the calling thread's slot its limit, and touches the array's memory so that no
 * sequence is the first to do so. The limit is 1 or more, and at most the number of items that the
 * array has room for; it may differ from call to call. After a limit is lowered the array may hold
 * more items than that, until some are taken. The thread may move to another slot at any time. Then
 * whoever finds that slot's array unprepared prepares it.
 *
 * Returns whether it stored the limit. With sequences it does not if the limit was this already.
 * Without sequences it does not if the slot's lock is not free; it does not read the old limit,
 * because in a new page a read before the write costs one more page fault.
 */
bool percpu_array_prepare(struct percpu_array *array, uint32_t limit);

/*
 * Writes to the head of the array in the calling thread's slot without changing it, even if the
 * array is in use or stopped. For arrays that probably nobody has used: memory that is read before
 * it is written to costs two page faults, and pops and percpu_array_prepare() read first. Without
 * sequences it writes to the slot's lock instead, which each operation reads first.
 */
void percpu_array_touch(struct percpu_array *array);

#endif
