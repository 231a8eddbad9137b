// SPDX-License-Identifier: MIT
/* Sorting: heap sort for arrays, merge sort for lists. */
#include <linux/kernel.h>
#include <linux/list_sort.h>
#include <linux/sort.h>
#include <linux/string.h>

struct sorting {
	char *base;
	size_t size;
	cmp_r_func_t compare;
	swap_r_func_t swap_elements;
	const void *priv;
};

static void exchange(const struct sorting *s, size_t i, size_t j)
{
	char *a = s->base + i * s->size, *b = s->base + j * s->size;

	if (s->swap_elements) {
		s->swap_elements(a, b, (int)s->size, s->priv);
		return;
	}
	for (size_t k = 0; k < s->size; k++)
		swap(a[k], b[k]);
}

static bool less(const struct sorting *s, size_t i, size_t j)
{
	return s->compare(s->base + i * s->size, s->base + j * s->size, s->priv) < 0;
}

/* Restores the heap in 0 .. n-1 below i, if only i may be smaller than one of its children. */
static void sift_down(const struct sorting *s, size_t i, size_t n)
{
	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && less(s, child, child + 1))
			child++;
		if (!less(s, i, child))
			return;
		exchange(s, i, child);
	}
}

void sort_r(void *base, size_t n, size_t size, cmp_r_func_t compare,
	    swap_r_func_t swap_elements, const void *priv)
{
	struct sorting s = { base, size, compare, swap_elements, priv };

	for (size_t i = n / 2; i-- > 0;)
		sift_down(&s, i, n);
	for (size_t i = n; i-- > 1;) {
		exchange(&s, 0, i);
		sift_down(&s, 0, i);
	}
}

struct plain {
	cmp_func_t compare;
	swap_func_t swap_elements;
};

static int plain_compare(const void *a, const void *b, const void *priv)
{
	return ((const struct plain *)priv)->compare(a, b);
}

static void plain_swap(void *a, void *b, int size, const void *priv)
{
	((const struct plain *)priv)->swap_elements(a, b, size);
}

void sort(void *base, size_t n, size_t size, cmp_func_t compare, swap_func_t swap_elements)
{
	struct plain plain = { compare, swap_elements };

	sort_r(base, n, size, plain_compare, swap_elements ? plain_swap : NULL, &plain);
}

/* Merges two sorted lists. Among equal entries, those of `a` come first. */
static void merge(void *priv, struct list_head *out, struct list_head *a, struct list_head *b,
		  list_cmp_func_t compare)
{
	while (!list_empty(a) && !list_empty(b))
		list_move_tail(compare(priv, a->next, b->next) > 0 ? b->next : a->next, out);
	list_splice_tail_init(a, out);
	list_splice_tail_init(b, out);
}

/* Bottom up: runs[i] has 2^i entries or none, and they came before those of runs[i-1]. */
void list_sort(void *priv, struct list_head *head, list_cmp_func_t compare)
{
	struct list_head runs[64], run, merged;
	unsigned int i, nr_runs = 0;

	while (!list_empty(head)) {
		INIT_LIST_HEAD(&run);
		list_move(head->next, &run);
		for (i = 0; i < nr_runs && !list_empty(&runs[i]); i++) {
			INIT_LIST_HEAD(&merged);
			merge(priv, &merged, &runs[i], &run, compare);
			list_splice_init(&merged, &run);
		}
		if (i == nr_runs)
			INIT_LIST_HEAD(&runs[nr_runs++]);
		list_splice_init(&run, &runs[i]);
	}
	INIT_LIST_HEAD(&run);
	for (i = 0; i < nr_runs; i++) {
		INIT_LIST_HEAD(&merged);
		merge(priv, &merged, &runs[i], &run, compare);
		list_splice_init(&merged, &run);
	}
	list_splice(&run, head);
}
