/* SPDX-License-Identifier: MIT */
/* Keys: nobody adds any, so none is found. */
#ifndef _LINUX_KEY_H
#define _LINUX_KEY_H

#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/rwsem.h>
#include <linux/sysctl.h>
#include <linux/types.h>
#include <linux/uidgid.h>

typedef int32_t key_serial_t;
typedef uint32_t key_perm_t;

struct cred;
struct key_type;

union key_payload {
	void *rcu_data0;
	void *data[4];
};

struct key {
	refcount_t usage;
	key_serial_t serial;
	struct rw_semaphore sem;
	kuid_t uid;
	kgid_t gid;
	key_perm_t perm;
	unsigned short quotalen, datalen;
	unsigned long flags;
	struct key_type *type;
	char *description;
	union key_payload payload;
};

#define request_key(type, description, info) \
	((void)(type), (void)(description), (void)(info), (struct key *)ERR_PTR(-ENOKEY))
#define key_put(key) ((void)(key))
#define key_get(key) (key)
#define key_serial(key) ((key) ? (key)->serial : 0)

#endif
