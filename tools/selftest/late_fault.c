/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "selftest/late.h"
#include "selftest/oracle.h"
#include "selftest/stay.h"

#define LATE_MS 10
#define GIVE_UP_MS 2000
#define LIMIT 16
#define NR_ITEMS 8
#define TIMES 3
/* If the kernel gives the thread another slot meanwhile, the try counts as no case. */
#define TRIES 100
/* One abort for the sleep; the others leave room for preemption on a busy machine. */
#define ABORTS_MAX 8

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

/* A slot's page with the stack, and the userfaultfd that supplies it. */
struct late_page {
	int uffd;
	size_t bytes;		/* the system's page size */
	char *address;
	char *copy;		/* its content before it was taken away */
	bool supplied;
};

static struct oracle oracle;

static void sleep_ms(long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&time, &time) && errno == EINTR)
		continue;
}

static void *supply(void *arg)
{
	struct late_page *page = arg;
	struct pollfd ready = { .fd = page->uffd, .events = POLLIN };
	struct uffdio_copy copy = {
		.dst = (unsigned long)page->address,
		.src = (unsigned long)page->copy,
		.len = page->bytes,
	};
	struct uffd_msg message;

	/* If no fault comes the page has to be put back all the same. */
	if (poll(&ready, 1, GIVE_UP_MS) == 1 &&
	    read(page->uffd, &message, sizeof(message)) == sizeof(message)) {
		sleep_ms(LATE_MS);
		page->supplied = true;
	}
	ioctl(page->uffd, UFFDIO_COPY, &copy);
	return NULL;
}

/* NULL, or which step the kernel did not permit. */
static const char *open_uffd(struct late_page *page)
{
	struct uffdio_api api = { .api = UFFD_API };

	/* O_NONBLOCK: poll(2) does not work on a blocking one, and read(2) would wait for ever. */
	page->uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
	if (page->uffd < 0)
		return "userfaultfd";
	return ioctl(page->uffd, UFFDIO_API, &api) ? "UFFDIO_API" : NULL;
}

static const char *take_away(struct late_page *page)
{
	struct uffdio_register range = {
		.range = { (unsigned long)page->address, page->bytes },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	memcpy(page->copy, page->address, page->bytes);
	page->supplied = false;
	if (ioctl(page->uffd, UFFDIO_REGISTER, &range))
		return "UFFDIO_REGISTER";
	return madvise(page->address, page->bytes, MADV_DONTNEED) ? "MADV_DONTNEED" : NULL;
}

static void give_back(struct late_page *page)
{
	struct uffdio_range range = { (unsigned long)page->address, page->bytes };

	ioctl(page->uffd, UFFDIO_UNREGISTER, &range);
}

/* Puts objects 0 .. NR_ITEMS-1 on the stack, which is at the beginning of the page. */
static void fill(const struct primitive *primitive, char *address)
{
	struct percpu_array *array = (void *)address;
	struct percpu_list *list = (void *)address;

	memset(address, 0, sizeof(*array) + LIMIT * sizeof(void *));
	for (unsigned int i = 0; i < NR_ITEMS; i++) {
		void *object = oracle_object(&oracle, i);

		if (!primitive->list) {
			array->limit = LIMIT;
			array->items[array->count++] = object;
			continue;
		}
		oracle.objects[i].link = list->head;
		list->head = (unsigned long)object << PERCPU_LIST_NR_BITS | (i + 1);
	}
}

static unsigned int see_stack(const struct primitive *primitive, const char *address)
{
	const struct percpu_array *array = (const void *)address;
	unsigned long head = ((const struct percpu_list *)address)->head;
	unsigned int nr = 0;

	if (!primitive->list) {
		for (; nr < array->count && nr < LIMIT; nr++)
			oracle_see(&oracle, array->items[nr]);
		return nr;
	}
	for (; percpu_list_top(head) && nr < LIMIT; nr++) {
		if (!oracle_see(&oracle, percpu_list_top(head)))
			break;
		head = ((struct oracle_object *)percpu_list_top(head))->link;
	}
	return nr;
}

/* Checks that each object is either on the stack or in the caller's hand. */
static const char *count_objects(const struct primitive_call *call,
				 const struct primitive *primitive, const char *address,
				 struct late_proof *proof)
{
	unsigned int objects = NR_ITEMS + (primitive->push ? call->n : 0), lost;
	unsigned int expected = primitive->push ? NR_ITEMS + call->n : NR_ITEMS - call->n;
	unsigned int nr;

	oracle_reset(&oracle);
	nr = see_stack(primitive, address);
	for (unsigned int i = primitive->push ? call->done : 0;
	     i < (primitive->push ? call->n : call->done); i++)
		oracle_see(&oracle, call->items[i]);
	lost = oracle_lost(&oracle, 0, objects);
	proof->lost += lost;
	proof->duplicated += oracle.duplicated;
	if (lost || oracle.duplicated)
		return "objects are lost or duplicated";
	return call->done == call->n && nr == expected ? NULL : "it has not done its work";
}

/* Runs one operation on a page that comes late. NULL, or what failed. */
static const char *run_late(const struct primitive *primitive, struct late_page *page,
			    struct percpu_array *piece, struct late_proof *proof)
{
	void *items[4] = { NULL };
	struct primitive_call call = {
		.array = piece, .list = (void *)piece, .items = items,
		.n = primitive->many ? ARRAY_SIZE(items) : 1,
	};
	unsigned int aborts;
	pthread_t thread;
	const char *problem;

	for (unsigned int i = 0; primitive->push && i < call.n; i++)
		items[i] = oracle_object(&oracle, NR_ITEMS + i);
	fill(primitive, page->address);
	problem = take_away(page);
	if (!problem && pthread_create(&thread, NULL, supply, page))
		problem = "starting a thread";
	if (problem) {
		give_back(page);
		snprintf(proof->skipped, sizeof(proof->skipped), "%s: %s", problem,
			 strerror(errno));
		return NULL;
	}
	aborts = primitive_retry(primitive->try, &call);
	pthread_join(thread, NULL);
	give_back(page);
	if (!page->supplied || page->address != percpu_ptr(piece, (unsigned int)
							   percpu_current_slot()))
		return NULL;	/* no case: the kernel has moved the thread to another slot */
	proof->cases++;
	proof->aborts += aborts;
	problem = count_objects(&call, primitive, page->address, proof);
	if (!problem && aborts > ABORTS_MAX)
		problem = "it was aborted again and again";
	return problem;
}

void late_prove_fault(const struct primitive *primitive, struct late_proof *proof)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	/* percpu_alloc() aligns to 4096 at most: take more, to find a whole larger page inside. */
	size_t piece_bytes = bytes > 4096 ? 2 * bytes : bytes;
	char *piece = percpu_alloc(piece_bytes, 4096), *array;
	struct late_page page = { .uffd = -1, .bytes = bytes };
	unsigned long wanted = proof->cases + TIMES;
	const char *problem = NULL;
	cpu_set_t before;

	/* A thread that left its slot and came back would have worked on another slot's stack. */
	stay_on_one_cpu(&before);
	page.copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!piece || page.copy == MAP_FAILED)
		problem = "memory for it";
	if (!problem)
		problem = open_uffd(&page);
	if (problem)
		snprintf(proof->skipped, sizeof(proof->skipped), "%s: %s", problem,
			 strerror(errno));
	array = (char *)ALIGN((unsigned long)piece, bytes);
	for (unsigned int i = 0; proof->cases < wanted && i < TRIES && !*proof->skipped &&
	     !*proof->failure; i++) {
		int slot = percpu_current_slot();

		if (slot < 0)
			break;
		page.address = percpu_ptr(array, (unsigned int)slot);
		problem = run_late(primitive, &page, (void *)array, proof);
		if (problem)
			snprintf(proof->failure, sizeof(proof->failure), "%s, page %d ms late: %s",
				 primitive->name, LATE_MS, problem);
	}
	sched_setaffinity(0, sizeof(before), &before);
	if (page.uffd >= 0)
		close(page.uffd);
	if (page.copy != MAP_FAILED)
		munmap(page.copy, bytes);
	if (piece)
		percpu_free((void *)piece, piece_bytes);
}
