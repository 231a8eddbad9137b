/* SPDX-License-Identifier: MIT */
/* The primitives' bodies. INSTANCE(name) is the function head for rseq_name(). */

INSTANCE(pop)
{
	void *item;

	if (!rseq_pop(call->array, &item))
		return false;
	call->items[0] = item;
	call->done = item != NULL;
	return true;
}

INSTANCE(push)
{
	bool pushed;

	if (!rseq_push(call->array, call->items[0], &pushed))
		return false;
	call->done = pushed;
	return true;
}

INSTANCE(pop_at)
{
	void *item;

	if (!rseq_pop_at(percpu_ptr(call->array, 0), &item))
		return false;
	call->items[0] = item;
	call->done = item != NULL;
	return true;
}

INSTANCE(push_at)
{
	bool pushed;

	if (!rseq_push_at(percpu_ptr(call->array, 0), call->items[0], &pushed))
		return false;
	call->done = pushed;
	return true;
}

INSTANCE(pop_n)
{
	return rseq_pop_n(call->array, call->items, call->n, &call->done);
}

INSTANCE(push_n)
{
	return rseq_push_n(call->array, call->items, call->n, &call->done);
}

INSTANCE(list_pop)
{
	void *item;

	if (!rseq_list_pop(call->list, &item))
		return false;
	call->items[0] = item;
	call->done = item != NULL;
	return true;
}

INSTANCE(list_push)
{
	bool pushed;

	if (!rseq_list_push(call->list, call->items[0], &pushed))
		return false;
	call->done = pushed;
	return true;
}
