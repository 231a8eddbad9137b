// SPDX-License-Identifier: MIT
/* Sleeping on bits and variables: one queue, whose entries know what they wait for. */
#include <linux/wait_bit.h>

#define ON_VARIABLE (-1)

static DECLARE_WAIT_QUEUE_HEAD(sleepers);

/* Wakes those that wait for the key's bit, if it is clear, or for its variable. */
static int wake_if_meant(struct wait_queue_entry *wq_entry, unsigned int mode, int flags,
			 void *key)
{
	struct wait_bit_queue_entry *entry =
		container_of(wq_entry, struct wait_bit_queue_entry, wq_entry);
	struct wait_bit_key *woken = key;

	if (entry->key.flags != woken->flags || entry->key.bit_nr != woken->bit_nr)
		return 0;
	if (woken->bit_nr != ON_VARIABLE && test_bit_acquire(woken->bit_nr, woken->flags))
		return 0;
	return autoremove_wake_function(wq_entry, mode, flags, key);
}

static void init_entry(struct wait_bit_queue_entry *entry, void *what, int bit, int flags)
{
	init_wait_entry(&entry->wq_entry, flags);
	entry->wq_entry.func = wake_if_meant;
	entry->key = (struct wait_bit_key){ .flags = what, .bit_nr = bit };
}

int bit_wait(struct wait_bit_key *key, int mode)
{
	(void)key;
	(void)mode;
	schedule();
	return 0;
}

int bit_wait_io(struct wait_bit_key *key, int mode)
{
	(void)key;
	(void)mode;
	io_schedule();
	return 0;
}

int bit_wait_timeout(struct wait_bit_key *key, int mode)
{
	long left = (long)(READ_ONCE(key->timeout) - jiffies);

	(void)mode;
	if (left <= 0)
		return -EAGAIN;
	schedule_timeout(left);
	return 0;
}

static int wait_until_clear(struct wait_bit_queue_entry *entry, wait_bit_action_f *action,
			    unsigned int mode)
{
	int error = 0;

	do {
		prepare_to_wait(&sleepers, &entry->wq_entry, (int)mode);
		if (test_bit_acquire(entry->key.bit_nr, entry->key.flags))
			error = action(&entry->key, (int)mode);
	} while (!error && test_bit_acquire(entry->key.bit_nr, entry->key.flags));
	finish_wait(&sleepers, &entry->wq_entry);
	return error;
}

int out_of_line_wait_on_bit(void *word, int bit, wait_bit_action_f *action, unsigned int mode)
{
	struct wait_bit_queue_entry entry;

	init_entry(&entry, word, bit, 0);
	return wait_until_clear(&entry, action, mode);
}

int out_of_line_wait_on_bit_timeout(void *word, int bit, wait_bit_action_f *action,
				    unsigned int mode, unsigned long timeout)
{
	struct wait_bit_queue_entry entry;

	init_entry(&entry, word, bit, 0);
	entry.key.timeout = jiffies + timeout;
	return wait_until_clear(&entry, action, mode);
}

int out_of_line_wait_on_bit_lock(void *word, int bit, wait_bit_action_f *action,
				 unsigned int mode)
{
	struct wait_bit_queue_entry entry;
	int error = 0;

	init_entry(&entry, word, bit, WQ_FLAG_EXCLUSIVE);
	for (;;) {
		prepare_to_wait_exclusive(&sleepers, &entry.wq_entry, (int)mode);
		if (test_bit_acquire(bit, word))
			error = action(&entry.key, (int)mode);
		if (!test_and_set_bit(bit, word)) {
			error = 0;
			break;
		}
		if (error)
			break;
	}
	finish_wait(&sleepers, &entry.wq_entry);
	return error;
}

static void wake(void *what, int bit)
{
	struct wait_bit_key key = { .flags = what, .bit_nr = bit };

	__wake_up(&sleepers, TASK_NORMAL, 1, &key);
}

void wake_up_bit(void *word, int bit)
{
	wake(word, bit);
}

void wake_up_var(void *var)
{
	wake(var, ON_VARIABLE);
}

struct wait_queue_head *__var_waitqueue(void *var)
{
	(void)var;
	return &sleepers;
}

void init_wait_var_entry(struct wait_bit_queue_entry *entry, void *var, int flags)
{
	init_entry(entry, var, ON_VARIABLE, flags);
}
