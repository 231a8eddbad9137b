/* SPDX-License-Identifier: MIT */
/* Types of keys can be registered; nobody adds a key. */
#ifndef _LINUX_KEY_TYPE_H
#define _LINUX_KEY_TYPE_H

#include <linux/errno.h>
#include <linux/key.h>
#include <usermm/compiler.h>

struct seq_file;

struct key_preparsed_payload {
	const char *orig_description;
	char *description;
	union key_payload payload;
	const void *data;
	size_t datalen, quotalen;
	time64_t expiry;
};

struct key_match_data {
	bool (*cmp)(const struct key *key, const struct key_match_data *data);
	const void *raw_data;
	void *preparsed;
	unsigned int lookup_type;
};

struct key_type {
	const char *name;
	size_t def_datalen;
	unsigned int flags;
	int (*vet_description)(const char *description);
	int (*preparse)(struct key_preparsed_payload *payload);
	void (*free_preparse)(struct key_preparsed_payload *payload);
	int (*instantiate)(struct key *key, struct key_preparsed_payload *payload);
	int (*update)(struct key *key, struct key_preparsed_payload *payload);
	int (*match_preparse)(struct key_match_data *data);
	void (*match_free)(struct key_match_data *data);
	void (*revoke)(struct key *key);
	void (*destroy)(struct key *key);
	void (*describe)(const struct key *key, struct seq_file *m);
	long (*read)(const struct key *key, char *buffer, size_t n);
	struct key_type *usermm_next;		/* Sync: key_types.c's lock */
};

USERMM_BEGIN_DECLS

/* 0; -EEXIST for a name that is taken, as those that each Linux has are. */
int register_key_type(struct key_type *type) USERMM_API(register_key_type);
void unregister_key_type(struct key_type *type) USERMM_API(unregister_key_type);

USERMM_END_DECLS

#endif
