/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_JUMP_LABEL_H
#define KERNEL_LINUX_JUMP_LABEL_H

#include <linux/atomic.h>
#include <linux/stringify.h>
#include <linux/types.h>

/* Static keys. The kernel patches these branches; here they are ordinary conditions. */
struct static_key {
	atomic_t enabled;
};

struct static_key_true {
	struct static_key key;
};

struct static_key_false {
	struct static_key key;
};

#define STATIC_KEY_INIT_TRUE { .enabled = ATOMIC_INIT(1) }
#define STATIC_KEY_INIT_FALSE { .enabled = ATOMIC_INIT(0) }
#define STATIC_KEY_INIT STATIC_KEY_INIT_FALSE
#define STATIC_KEY_TRUE_INIT ((struct static_key_true){ .key = STATIC_KEY_INIT_TRUE })
#define STATIC_KEY_FALSE_INIT ((struct static_key_false){ .key = STATIC_KEY_INIT_FALSE })
#define DEFINE_STATIC_KEY_TRUE(name) \
	struct static_key_true name = { .key = STATIC_KEY_INIT_TRUE }
#define DEFINE_STATIC_KEY_FALSE(name) \
	struct static_key_false name = { .key = STATIC_KEY_INIT_FALSE }
#define DEFINE_STATIC_KEY_TRUE_RO(name) DEFINE_STATIC_KEY_TRUE(name)
#define DEFINE_STATIC_KEY_FALSE_RO(name) DEFINE_STATIC_KEY_FALSE(name)
#define DECLARE_STATIC_KEY_TRUE(name) extern struct static_key_true name
#define DECLARE_STATIC_KEY_FALSE(name) extern struct static_key_false name

static inline int static_key_count(struct static_key *key)
{
	return atomic_read(&key->enabled);
}

static inline bool static_key_enabled_(struct static_key *key)
{
	return static_key_count(key) > 0;
}

static inline bool static_key_false(struct static_key *key)
{
	return unlikely(static_key_enabled_(key));
}

static inline bool static_key_true(struct static_key *key)
{
	return likely(static_key_enabled_(key));
}

static inline void static_key_slow_inc(struct static_key *key)
{
	atomic_inc(&key->enabled);
}

static inline void static_key_slow_dec(struct static_key *key)
{
	atomic_dec(&key->enabled);
}

static inline void static_key_enable(struct static_key *key)
{
	atomic_set(&key->enabled, 1);
}

static inline void static_key_disable(struct static_key *key)
{
	atomic_set(&key->enabled, 0);
}

/* x may be of either kind. */
#define static_key_enabled(x) static_key_enabled_((struct static_key *)(x))
#define static_branch_likely(x) likely(static_key_enabled(x))
#define static_branch_unlikely(x) unlikely(static_key_enabled(x))
#define static_branch_inc(x) static_key_slow_inc(&(x)->key)
#define static_branch_dec(x) static_key_slow_dec(&(x)->key)
#define static_branch_enable(x) static_key_enable(&(x)->key)
#define static_branch_disable(x) static_key_disable(&(x)->key)
#define static_branch_maybe(config, x) static_key_enabled(x)

#endif
