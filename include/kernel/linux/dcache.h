/* SPDX-License-Identifier: MIT */
/*
 * Names of files: those that modules make in /proc and the like, and those of the file systems
 * that they mount (kernel/fs), which have d_sb. The calls are for the second kind; on the first
 * they do nothing.
 */
#ifndef _LINUX_DCACHE_H
#define _LINUX_DCACHE_H

#include <linux/list.h>
#include <linux/list_bl.h>
#include <linux/lockref.h>
#include <linux/rculist.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>
#include <linux/stringhash.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <usermm/compiler.h>

struct dentry;
struct inode;
struct path;
struct super_block;

struct qstr {
	u32 hash;
	u32 len;
	const unsigned char *name;
};

#define QSTR_INIT(text, length) { .len = (length), .name = (const unsigned char *)(text) }

struct dentry_operations {
	int (*d_revalidate)(struct inode *folder, const struct qstr *name, struct dentry *dentry,
			    unsigned int flags);
	int (*d_hash)(const struct dentry *folder, struct qstr *name);
	int (*d_compare)(const struct dentry *dentry, unsigned int length, const char *text,
			 const struct qstr *name);
	int (*d_delete)(const struct dentry *dentry);
	int (*d_init)(struct dentry *dentry);
	void (*d_release)(struct dentry *dentry);
	void (*d_prune)(struct dentry *dentry);
	void (*d_iput)(struct dentry *dentry, struct inode *inode);
	char *(*d_dname)(struct dentry *dentry, char *buffer, int size);
};

struct dentry {
	unsigned int d_flags;		/* DCACHE_. Sync: kernel/fs's lock of names */
	struct dentry *d_parent;	/* the root's is itself */
	struct qstr d_name;
	struct inode *d_inode;
	struct lockref d_lockref;	/* Sync: kernel/fs's lock of names */
	const struct dentry_operations *d_op;
	struct super_block *d_sb;	/* NULL: not of a mounted file system */
	unsigned long d_time;
	void *d_fsdata;
	struct hlist_node d_sib;	/* this and the next: Sync: kernel/fs's lock of names */
	struct hlist_head d_children;
	struct hlist_node d_alias;
};

#define d_lock d_lockref.lock
#define DCACHE_HASHED 0x1		/* usermm's own: its folder finds it */
#define IS_ROOT(dentry) ((dentry) == (dentry)->d_parent)
#define d_inode(dentry) ((dentry)->d_inode)
#define d_inode_rcu(dentry) READ_ONCE((dentry)->d_inode)
#define d_backing_inode(dentry) ((dentry)->d_inode)
#define d_really_is_negative(dentry) (!(dentry)->d_inode)
#define d_really_is_positive(dentry) ((dentry)->d_inode != NULL)
#define d_is_negative(dentry) d_really_is_negative(dentry)
#define d_is_positive(dentry) d_really_is_positive(dentry)
#define d_unhashed(dentry) (!((dentry)->d_flags & DCACHE_HASHED))
#define d_count(dentry) ((unsigned int)READ_ONCE((dentry)->d_lockref.count))
#define dget_dlock(dentry) dget(dentry)

USERMM_BEGIN_DECLS

/* A new name below the folder, which it holds, of one user, with no inode; NULL without memory. */
struct dentry *d_alloc(struct dentry *folder, const struct qstr *name) USERMM_API(d_alloc);
struct dentry *d_alloc_name(struct dentry *folder, const char *name) USERMM_API(d_alloc_name);
struct dentry *d_alloc_anon(struct super_block *sb) USERMM_API(d_alloc_anon);
/* Takes the reference to the inode; NULL, with the reference put, without memory or inode. */
struct dentry *d_make_root(struct inode *inode) USERMM_API(d_make_root);
/* Both take the reference to the inode, which may be NULL. d_add() also lets the folder find it. */
void d_instantiate(struct dentry *dentry, struct inode *inode) USERMM_API(d_instantiate);
void d_add(struct dentry *dentry, struct inode *inode) USERMM_API(d_add);
/* d_instantiate() and unlock_new_inode(). */
void d_instantiate_new(struct dentry *dentry, struct inode *inode) USERMM_API(d_instantiate_new);
/* For lookup(): d_add(), and NULL. The error of an inode that is an error pointer. */
struct dentry *d_splice_alias(struct inode *inode, struct dentry *dentry)
	USERMM_API(d_splice_alias);
void d_rehash(struct dentry *dentry) USERMM_API(d_rehash);
void d_drop(struct dentry *dentry) USERMM_API(d_drop);
/* The name's file is gone: without other users the name stays, of nothing; else it is dropped. */
void d_delete(struct dentry *dentry) USERMM_API(d_delete);
/* The dentry gets the name and the folder of the target, which is dropped. */
void d_move(struct dentry *dentry, struct dentry *target) USERMM_API(d_move);
/* A name that the folder has, with a reference; or NULL. */
struct dentry *d_lookup(const struct dentry *folder, const struct qstr *name)
	USERMM_API(d_lookup);
struct dentry *d_hash_and_lookup(struct dentry *folder, struct qstr *name)
	USERMM_API(d_hash_and_lookup);
struct dentry *d_find_alias(struct inode *inode) USERMM_API(d_find_alias);
void d_set_d_op(struct dentry *dentry, const struct dentry_operations *operations)
	USERMM_API(d_set_d_op);
/* Puts one reference of each name below the root that has a file, which simple_link() and the
 * like took. */
void d_genocide(struct dentry *root) USERMM_API(d_genocide);
/* Frees the names below that nobody uses. */
void shrink_dcache_parent(struct dentry *dentry) USERMM_API(shrink_dcache_parent);
void shrink_dcache_sb(struct super_block *sb) USERMM_API(shrink_dcache_sb);
void d_invalidate(struct dentry *dentry) USERMM_API(d_invalidate);
struct dentry *dget(struct dentry *dentry) USERMM_API(dget);
void dput(struct dentry *dentry) USERMM_API(dput);
struct dentry *dget_parent(struct dentry *dentry) USERMM_API(dget_parent);
/* The path below the root of its file system, at the buffer's end; or -ENAMETOOLONG. */
char *dentry_path_raw(const struct dentry *dentry, char *buffer, int size)
	USERMM_API(dentry_path_raw);
char *simple_dname(struct dentry *dentry, char *buffer, int size) USERMM_API(simple_dname);

USERMM_END_DECLS

#define dentry_path(dentry, buffer, size) dentry_path_raw(dentry, buffer, size)

#endif
