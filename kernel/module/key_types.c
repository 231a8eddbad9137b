// SPDX-License-Identifier: MIT
/* Types of keys that modules register: see linux/key-type.h. cf. Linux security/keys/key.c. */
#include <linux/key-type.h>
#include <linux/mutex.h>
#include <linux/string.h>

static DEFINE_MUTEX(lock);
static struct key_type *types;		/* Sync: lock */
static const char *const names_of_linux[] = { "keyring", "user", "logon", "big_key" };

/* The caller holds the lock. */
static struct key_type **find(const char *name)
{
	struct key_type **link;

	for (link = &types; *link && strcmp((*link)->name, name); link = &(*link)->usermm_next)
		;
	return link;
}

int register_key_type(struct key_type *type)
{
	struct key_type **link;
	bool is_taken = false;

	for (size_t i = 0; i < ARRAY_SIZE(names_of_linux); i++)
		is_taken |= !strcmp(names_of_linux[i], type->name);
	mutex_lock(&lock);
	link = find(type->name);
	is_taken |= *link != NULL;
	if (!is_taken) {
		type->usermm_next = NULL;
		*link = type;
	}
	mutex_unlock(&lock);
	return is_taken ? -EEXIST : 0;
}

void unregister_key_type(struct key_type *type)
{
	struct key_type **link;

	mutex_lock(&lock);
	link = find(type->name);
	if (*link == type)
		*link = type->usermm_next;
	mutex_unlock(&lock);
}
