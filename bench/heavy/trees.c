// SPDX-License-Identifier: MIT
/* Programs for bench_heavy.py: trees, and lists of an interpreter. */
#include <stdbool.h>
#include <string.h>

#include "heavy.h"

/* --- trees: binary trees come and go, one stays --------------------------------------- */

struct tree {
	struct tree *left, *right;
};

static struct tree *new_tree(int depth)
{
	struct tree *tree = allocate(sizeof(*tree));

	tree->left = depth ? new_tree(depth - 1) : NULL;
	tree->right = depth ? new_tree(depth - 1) : NULL;
	return tree;
}

static uint64_t drop_tree(struct tree *tree)
{
	uint64_t count = tree ? 1 : 0;

	if (tree) {
		count += drop_tree(tree->left);
		count += drop_tree(tree->right);
	}
	free(tree);
	return count;
}

uint64_t heavy_trees(void)
{
	struct tree *stays = new_tree(17);
	uint64_t sum = 0;

	for (int depth = 4; depth <= 16; depth += 4)
		for (unsigned long i = scaled(6000000UL >> depth); i-- > 0;)
			sum += drop_tree(new_tree(depth));
	return sum + drop_tree(stays);
}

/* --- lisp: an interpreter's cells with reference counts ------------------------------- */

struct cell {
	uint32_t references;
	bool is_number;
	union {
		int64_t number;
		struct {
			struct cell *head, *tail;
		};
	};
};

static struct cell *number_cell(int64_t number)
{
	struct cell *cell = allocate(sizeof(*cell));

	*cell = (struct cell){ .references = 1, .is_number = true, .number = number };
	return cell;
}

/* Takes both references. */
static struct cell *pair_cell(struct cell *head, struct cell *tail)
{
	struct cell *cell = allocate(sizeof(*cell));

	*cell = (struct cell){ .references = 1, .head = head, .tail = tail };
	return cell;
}

static struct cell *get_cell(struct cell *cell)
{
	if (cell)
		cell->references++;
	return cell;
}

static void put_cell(struct cell *cell)
{
	while (cell && !--cell->references) {
		struct cell *tail = cell->is_number ? NULL : cell->tail;

		if (!cell->is_number)
			put_cell(cell->head);
		free(cell);
		cell = tail;
	}
}

static struct cell *mapped(const struct cell *list, int64_t factor)
{
	if (!list)
		return NULL;
	return pair_cell(number_cell(list->head->number * factor % 1000003),
			 mapped(list->tail, factor));
}

static struct cell *reversed(const struct cell *list)
{
	struct cell *result = NULL;

	for (; list; list = list->tail)
		result = pair_cell(get_cell(list->head), result);
	return result;
}

uint64_t heavy_lisp(void)
{
	uint64_t sum = 0;

	for (unsigned long i = scaled(5000); i-- > 0;) {
		struct cell *list = NULL;

		for (int j = 0; j < 200; j++)
			list = pair_cell(number_cell(j), list);
		for (int j = 0; j < 30; j++) {
			struct cell *other = mapped(list, j + 2), *turned = reversed(other);

			put_cell(list);
			put_cell(other);
			list = turned;
		}
		sum += (uint64_t)list->head->number;
		put_cell(list);
	}
	return sum;
}
