// SPDX-License-Identifier: MIT
/*
 * Inodes. cf. Linux fs/inode.c.
 *
 * An inode has users (i_count). While it has any, it stays. Without, it ends, or it stays for the
 * next iget_locked() until its file system is unmounted: drop_inode() decides. Each one is on its
 * super block's list; those that can be looked up are in a table, by super block and number.
 */
#include <stdlib.h>

#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/wait.h>
#include <linux/writeback.h>

#include "vfs.h"

#define TABLE_BITS 8

static DEFINE_SPINLOCK(inodes_lock);
static struct hlist_head table[1 << TABLE_BITS];	/* Sync: inodes_lock */
static DECLARE_WAIT_QUEUE_HEAD(no_longer_new);
static atomic_t last_number;
static const struct super_operations no_operations;
static const struct inode_operations no_inode_operations;
static const struct file_operations no_file_operations;

static const struct super_operations *operations_of(const struct inode *inode)
{
	return inode->i_sb && inode->i_sb->s_op ? inode->i_sb->s_op : &no_operations;
}

static struct hlist_head *bucket(const struct super_block *sb, unsigned long hash)
{
	return &table[hash_long((unsigned long)sb ^ hash * 31, TABLE_BITS)];
}

void inode_init_once(struct inode *inode)
{
	memset(inode, 0, sizeof(*inode));
	INIT_HLIST_NODE(&inode->i_hash);
	INIT_HLIST_HEAD(&inode->i_dentry);
	INIT_LIST_HEAD(&inode->i_sb_list);
	xa_init(&inode->i_data.i_pages);
	init_rwsem(&inode->i_rwsem);
	spin_lock_init(&inode->i_lock);
}

/* Every field but those that inode_init_once() sets, which an inode gives back as it got them. */
static void set_defaults(struct super_block *sb, struct inode *inode)
{
	inode->i_sb = sb;
	inode->i_blkbits = sb ? sb->s_blocksize_bits : PAGE_SHIFT;
	inode->i_flags = 0;
	atomic_set(&inode->i_count, 1);
	inode->i_op = &no_inode_operations;
	inode->i_fop = &no_file_operations;
	inode->i_nlink = 1;
	inode->i_uid = GLOBAL_ROOT_UID;
	inode->i_gid = GLOBAL_ROOT_GID;
	inode->i_ino = 0;
	inode->i_mode = 0;
	inode->i_size = 0;
	inode->i_blocks = 0;
	inode->i_bytes = 0;
	inode->i_generation = 0;
	inode->i_rdev = 0;
	inode->i_link = NULL;
	inode->i_state = 0;
	inode->i_private = NULL;
	inode->i_data.host = inode;
	inode->i_data.a_ops = NULL;
	inode->i_data.flags = 0;
	inode->i_data.nrpages = 0;
	inode->i_data.gfp_mask = GFP_HIGHUSER_MOVABLE;
	inode->i_data.private_data = NULL;
	inode->i_mapping = &inode->i_data;
}

static struct inode *inode_alloc(struct super_block *sb)
{
	struct inode *inode;

	if (sb && sb->s_op && sb->s_op->alloc_inode) {
		inode = sb->s_op->alloc_inode(sb);
	} else {
		inode = malloc(sizeof(*inode));
		if (inode)
			inode_init_once(inode);
	}
	if (inode)
		set_defaults(sb, inode);
	return inode;
}

static void free_by_operation(struct rcu_head *head)
{
	struct inode *inode = container_of(head, struct inode, i_rcu);

	operations_of(inode)->free_inode(inode);
}

static void inode_free(struct inode *inode)
{
	const struct super_operations *op = operations_of(inode);

	if (op->destroy_inode)
		op->destroy_inode(inode);
	if (op->free_inode)
		call_rcu(&inode->i_rcu, free_by_operation);
	else if (!op->destroy_inode && op->alloc_inode)
		pr_err("VFS: %s has alloc_inode and nothing that frees\n", inode->i_sb->s_id);
	else if (!op->destroy_inode)
		free(inode);
}

static void add_to_super(struct inode *inode)
{
	if (!inode->i_sb)
		return;
	spin_lock(&inodes_lock);
	list_add(&inode->i_sb_list, &inode->i_sb->s_inodes);
	spin_unlock(&inodes_lock);
}

struct inode *new_inode(struct super_block *sb)
{
	struct inode *inode = inode_alloc(sb);

	if (inode)
		add_to_super(inode);
	return inode;
}

struct inode *alloc_anon_inode(struct super_block *sb)
{
	struct inode *inode = new_inode(sb);

	if (!inode)
		return ERR_PTR(-ENOMEM);
	inode->i_ino = get_next_ino();
	inode->i_mode = S_IRUSR | S_IWUSR;
	inode->i_state = I_DIRTY;
	simple_inode_init_ts(inode);
	return inode;
}

unsigned int get_next_ino(void)
{
	unsigned int number;

	do
		number = (unsigned int)atomic_inc_return(&last_number);
	while (!number);
	return number;
}

/* The caller holds inodes_lock. An inode that is on its way out is none. */
static struct inode *find_locked(struct super_block *sb, unsigned long hash,
				 int (*test)(struct inode *inode, void *data), void *data)
{
	struct inode *inode;

	hlist_for_each_entry(inode, bucket(sb, hash), i_hash) {
		if (inode->i_sb != sb || inode->i_state & I_FREEING)
			continue;
		if (test ? test(inode, data) : inode->i_ino == hash) {
			atomic_inc(&inode->i_count);
			return inode;
		}
	}
	return NULL;
}

static struct inode *find(struct super_block *sb, unsigned long hash,
			  int (*test)(struct inode *inode, void *data), void *data)
{
	struct inode *inode;

	spin_lock(&inodes_lock);
	inode = find_locked(sb, hash, test, data);
	spin_unlock(&inodes_lock);
	if (inode)
		wait_event(no_longer_new, !(READ_ONCE(inode->i_state) & I_NEW));
	return inode;
}

struct inode *ilookup(struct super_block *sb, unsigned long number)
{
	return find(sb, number, NULL, NULL);
}

struct inode *iget5_locked(struct super_block *sb, unsigned long hash,
			   int (*test)(struct inode *inode, void *data),
			   int (*set)(struct inode *inode, void *data), void *data)
{
	struct inode *inode, *fresh;

	for (;;) {
		inode = find(sb, hash, test, data);
		if (inode && !inode_unhashed(inode))
			return inode;
		if (!inode)
			break;
		iput(inode);		/* whoever made it gave up */
	}
	fresh = inode_alloc(sb);
	if (!fresh)
		return NULL;
	spin_lock(&inodes_lock);
	inode = find_locked(sb, hash, test, data);
	if (!inode && (!set || !set(fresh, data))) {
		fresh->i_state = I_NEW;
		hlist_add_head(&fresh->i_hash, bucket(sb, hash));
		list_add(&fresh->i_sb_list, &sb->s_inodes);
		spin_unlock(&inodes_lock);
		return fresh;
	}
	spin_unlock(&inodes_lock);
	inode_free(fresh);
	if (inode)
		wait_event(no_longer_new, !(READ_ONCE(inode->i_state) & I_NEW));
	return inode;
}

static int has_number(struct inode *inode, void *number)
{
	return inode->i_ino == *(unsigned long *)number;
}

static int set_number(struct inode *inode, void *number)
{
	inode->i_ino = *(unsigned long *)number;
	return 0;
}

struct inode *iget_locked(struct super_block *sb, unsigned long number)
{
	return iget5_locked(sb, number, has_number, set_number, &number);
}

int insert_inode_locked(struct inode *inode)
{
	struct inode *old;

	spin_lock(&inodes_lock);
	old = find_locked(inode->i_sb, inode->i_ino, NULL, NULL);
	if (!old) {
		inode->i_state |= I_NEW;
		hlist_add_head(&inode->i_hash, bucket(inode->i_sb, inode->i_ino));
	}
	spin_unlock(&inodes_lock);
	iput(old);
	return old ? -EBUSY : 0;
}

void __insert_inode_hash(struct inode *inode, unsigned long hash)
{
	spin_lock(&inodes_lock);
	hlist_add_head(&inode->i_hash, bucket(inode->i_sb, hash));
	spin_unlock(&inodes_lock);
}

void remove_inode_hash(struct inode *inode)
{
	spin_lock(&inodes_lock);
	hlist_del_init(&inode->i_hash);
	spin_unlock(&inodes_lock);
}

void unlock_new_inode(struct inode *inode)
{
	spin_lock(&inodes_lock);
	WARN_ON(!(inode->i_state & I_NEW));
	WRITE_ONCE(inode->i_state, inode->i_state & ~(unsigned long)I_NEW);
	spin_unlock(&inodes_lock);
	wake_up_all(&no_longer_new);
}

void discard_new_inode(struct inode *inode)
{
	remove_inode_hash(inode);
	unlock_new_inode(inode);
	iput(inode);
}

void iget_failed(struct inode *inode)
{
	make_bad_inode(inode);
	unlock_new_inode(inode);
	iput(inode);
}

static struct dentry *bad_lookup(struct inode *folder, struct dentry *dentry, unsigned int flags)
{
	(void)folder;
	(void)dentry;
	(void)flags;
	return ERR_PTR(-EIO);
}

static int bad_open(struct inode *inode, struct file *file)
{
	(void)inode;
	(void)file;
	return -EIO;
}

static const struct inode_operations bad_inode_operations = { .lookup = bad_lookup };
static const struct file_operations bad_file_operations = { .open = bad_open };

void make_bad_inode(struct inode *inode)
{
	remove_inode_hash(inode);
	inode->i_mode = S_IFREG;
	simple_inode_init_ts(inode);
	inode->i_op = &bad_inode_operations;
	inode->i_fop = &bad_file_operations;
}

bool is_bad_inode(struct inode *inode)
{
	return inode->i_op == &bad_inode_operations;
}

void ihold(struct inode *inode)
{
	WARN_ON(atomic_inc_return(&inode->i_count) < 2);
}

struct inode *igrab(struct inode *inode)
{
	spin_lock(&inodes_lock);
	if (inode->i_state & I_FREEING)
		inode = NULL;
	else
		atomic_inc(&inode->i_count);
	spin_unlock(&inodes_lock);
	return inode;
}

int generic_delete_inode(struct inode *inode)
{
	(void)inode;
	return 1;
}

int generic_drop_inode(struct inode *inode)
{
	return !inode->i_nlink || inode_unhashed(inode);
}

void clear_inode(struct inode *inode)
{
	WARN_ON(inode->i_data.nrpages != 0);
	inode->i_state = I_FREEING | I_CLEAR;
}

/* The caller has set I_FREEING. */
static void evict(struct inode *inode)
{
	const struct super_operations *op = operations_of(inode);

	spin_lock(&inodes_lock);
	list_del_init(&inode->i_sb_list);
	spin_unlock(&inodes_lock);
	if (op->evict_inode) {
		op->evict_inode(inode);
	} else {
		truncate_inode_pages_final(&inode->i_data);
		clear_inode(inode);
	}
	remove_inode_hash(inode);
	inode_free(inode);
}

static int write_inode(struct inode *inode)
{
	struct writeback_control control = { .sync_mode = WB_SYNC_ALL, .nr_to_write = LONG_MAX };
	const struct super_operations *op = operations_of(inode);
	bool is_dirty;

	spin_lock(&inodes_lock);
	is_dirty = inode->i_state & I_DIRTY;
	inode->i_state &= ~(unsigned long)I_DIRTY;
	spin_unlock(&inodes_lock);
	return is_dirty && op->write_inode ? op->write_inode(inode, &control) : 0;
}

void iput(struct inode *inode)
{
	const struct super_operations *op;
	bool is_last;

	if (!inode)
		return;
	op = operations_of(inode);
	spin_lock(&inodes_lock);
	is_last = atomic_dec_and_test(&inode->i_count);
	if (is_last && !(op->drop_inode ? op->drop_inode(inode) : generic_drop_inode(inode)) &&
	    inode->i_sb->s_flags & SB_ACTIVE)
		is_last = false;	/* it stays for later */
	if (is_last)
		inode->i_state |= I_FREEING;
	spin_unlock(&inodes_lock);
	if (!is_last)
		return;
	if (inode->i_nlink && !inode_unhashed(inode))
		write_inode(inode);
	evict(inode);
}

/* The next inode of the list that nobody uses, marked as being freed; or NULL. */
static struct inode *take_unused(struct super_block *sb)
{
	struct inode *inode;

	list_for_each_entry(inode, &sb->s_inodes, i_sb_list) {
		if (atomic_read(&inode->i_count) || inode->i_state & I_FREEING)
			continue;
		inode->i_state |= I_FREEING;
		return inode;
	}
	return NULL;
}

unsigned int inodes_evict(struct super_block *sb)
{
	struct inode *inode;
	unsigned int n = 0;

	do {
		spin_lock(&inodes_lock);
		inode = take_unused(sb);
		spin_unlock(&inodes_lock);
		if (inode)
			evict(inode);
	} while (inode);
	spin_lock(&inodes_lock);
	list_for_each_entry(inode, &sb->s_inodes, i_sb_list)
		n++;
	spin_unlock(&inodes_lock);
	return n;
}

/* A dirty inode of the list, with a reference; or NULL. */
static struct inode *get_dirty(struct super_block *sb)
{
	struct inode *inode;

	list_for_each_entry(inode, &sb->s_inodes, i_sb_list) {
		if (inode->i_state & I_DIRTY && !(inode->i_state & (I_FREEING | I_NEW))) {
			atomic_inc(&inode->i_count);
			return inode;
		}
	}
	return NULL;
}

int inodes_write(struct super_block *sb)
{
	struct inode *inode;
	int error, last = 0;

	do {
		spin_lock(&inodes_lock);
		inode = get_dirty(sb);
		spin_unlock(&inodes_lock);
		error = inode ? write_inode(inode) : 0;
		last = error ? error : last;
		iput(inode);
	} while (inode);
	return last;
}

void __mark_inode_dirty(struct inode *inode, int flags)
{
	const struct super_operations *op = operations_of(inode);

	if (flags & I_DIRTY_INODE && op->dirty_inode)
		op->dirty_inode(inode, flags & I_DIRTY_INODE);
	spin_lock(&inodes_lock);
	inode->i_state |= (unsigned long)flags & I_DIRTY;
	spin_unlock(&inodes_lock);
}
