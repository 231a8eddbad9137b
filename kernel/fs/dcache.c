// SPDX-License-Identifier: MIT
/*
 * Names of a mounted file system. cf. Linux fs/dcache.c.
 *
 * A name holds its folder's name and its inode. Without users a name stays if its folder can find
 * it (it is hashed), until someone shrinks or unmounts; else it ends. A name without an inode says
 * that there is no such file. Names of /proc and the like have no super block: the calls leave
 * them alone.
 */
#include <stdlib.h>

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "vfs.h"

static DEFINE_SPINLOCK(names_lock);
static const struct dentry_operations no_operations;

const struct dentry_operations simple_dentry_operations;

static const struct dentry_operations *operations_of(const struct dentry *dentry)
{
	return dentry->d_op ? dentry->d_op : &no_operations;
}

static struct dentry *dentry_alloc(struct super_block *sb, const struct qstr *name)
{
	struct dentry *dentry = calloc(1, sizeof(*dentry) + name->len + 1);
	char *text = (char *)(dentry + 1);

	if (!dentry)
		return NULL;
	memcpy(text, name->name, name->len);
	dentry->d_name = *name;
	dentry->d_name.name = (const unsigned char *)text;
	dentry->d_parent = dentry;
	dentry->d_sb = sb;
	lockref_init(&dentry->d_lockref);
	dentry->d_op = sb->s_d_op;
	if (operations_of(dentry)->d_init && operations_of(dentry)->d_init(dentry)) {
		free(dentry);
		return NULL;
	}
	return dentry;
}

struct dentry *d_alloc(struct dentry *folder, const struct qstr *name)
{
	struct dentry *dentry = dentry_alloc(folder->d_sb, name);

	if (!dentry)
		return NULL;
	spin_lock(&names_lock);
	dentry->d_parent = folder;
	folder->d_lockref.count++;
	hlist_add_head(&dentry->d_sib, &folder->d_children);
	spin_unlock(&names_lock);
	return dentry;
}

struct dentry *d_alloc_name(struct dentry *folder, const char *name)
{
	struct qstr text = QSTR_INIT(name, (u32)strlen(name));

	text.hash = full_name_hash(folder, name, text.len);
	return d_alloc(folder, &text);
}

struct dentry *d_alloc_anon(struct super_block *sb)
{
	return dentry_alloc(sb, &(const struct qstr)QSTR_INIT("/", 1));
}

struct dentry *d_make_root(struct inode *inode)
{
	struct dentry *root = inode ? d_alloc_anon(inode->i_sb) : NULL;

	if (root)
		d_instantiate(root, inode);
	else
		iput(inode);
	return root;
}

/* The caller holds names_lock. */
static void set_inode(struct dentry *dentry, struct inode *inode)
{
	dentry->d_inode = inode;
	if (inode)
		hlist_add_head(&dentry->d_alias, &inode->i_dentry);
}

void d_instantiate(struct dentry *dentry, struct inode *inode)
{
	spin_lock(&names_lock);
	WARN_ON(dentry->d_inode != NULL);
	set_inode(dentry, inode);
	spin_unlock(&names_lock);
}

void d_instantiate_new(struct dentry *dentry, struct inode *inode)
{
	d_instantiate(dentry, inode);
	unlock_new_inode(inode);
}

void d_add(struct dentry *dentry, struct inode *inode)
{
	spin_lock(&names_lock);
	set_inode(dentry, inode);
	dentry->d_flags |= DCACHE_HASHED;
	spin_unlock(&names_lock);
}

struct dentry *d_splice_alias(struct inode *inode, struct dentry *dentry)
{
	if (IS_ERR(inode))
		return ERR_CAST(inode);
	d_add(dentry, inode);
	return NULL;
}

void d_rehash(struct dentry *dentry)
{
	spin_lock(&names_lock);
	dentry->d_flags |= DCACHE_HASHED;
	spin_unlock(&names_lock);
}

void d_drop(struct dentry *dentry)
{
	spin_lock(&names_lock);
	dentry->d_flags &= ~(unsigned int)DCACHE_HASHED;
	spin_unlock(&names_lock);
}

/* The caller holds names_lock, and puts what is returned. */
static struct inode *take_inode(struct dentry *dentry)
{
	struct inode *inode = dentry->d_inode;

	if (inode)
		hlist_del_init(&dentry->d_alias);
	dentry->d_inode = NULL;
	return inode;
}

static void put_inode(struct dentry *dentry, struct inode *inode)
{
	if (inode && operations_of(dentry)->d_iput)
		operations_of(dentry)->d_iput(dentry, inode);
	else
		iput(inode);
}

void d_delete(struct dentry *dentry)
{
	struct inode *inode = NULL;

	spin_lock(&names_lock);
	if (dentry->d_lockref.count == 1)
		inode = take_inode(dentry);
	else
		dentry->d_flags &= ~(unsigned int)DCACHE_HASHED;
	spin_unlock(&names_lock);
	put_inode(dentry, inode);
}

/* The caller holds names_lock, which is released. Returns the folder, for dput(), or NULL. */
static struct dentry *end_name(struct dentry *dentry)
{
	struct dentry *folder = IS_ROOT(dentry) ? NULL : dentry->d_parent;
	struct inode *inode = take_inode(dentry);

	dentry->d_flags &= ~(unsigned int)DCACHE_HASHED;
	if (folder)
		hlist_del_init(&dentry->d_sib);
	spin_unlock(&names_lock);
	put_inode(dentry, inode);
	if (operations_of(dentry)->d_release)
		operations_of(dentry)->d_release(dentry);
	if (dentry->d_name.name != (const unsigned char *)(dentry + 1))
		free((void *)dentry->d_name.name);
	free(dentry);
	return folder;
}

static bool stays(const struct dentry *dentry)
{
	const struct dentry_operations *op = operations_of(dentry);

	return !d_unhashed(dentry) && !(op->d_delete && op->d_delete(dentry));
}

/* `keeps`: the name may stay without users. */
static void put(struct dentry *dentry, bool keeps)
{
	while (dentry && dentry->d_sb) {
		spin_lock(&names_lock);
		if (--dentry->d_lockref.count > 0 || (keeps && stays(dentry))) {
			spin_unlock(&names_lock);
			return;
		}
		dentry = end_name(dentry);
		keeps = true;
	}
}

void dput(struct dentry *dentry)
{
	put(dentry, true);
}

struct dentry *dget(struct dentry *dentry)
{
	if (dentry && dentry->d_sb) {
		spin_lock(&names_lock);
		dentry->d_lockref.count++;
		spin_unlock(&names_lock);
	}
	return dentry;
}

struct dentry *dget_parent(struct dentry *dentry)
{
	struct dentry *folder;

	spin_lock(&names_lock);
	folder = dentry->d_parent;
	folder->d_lockref.count++;
	spin_unlock(&names_lock);
	return folder;
}

static bool has_name(const struct dentry *folder, const struct dentry *dentry,
		     const struct qstr *name)
{
	const struct dentry_operations *op = operations_of(folder);

	if (op->d_compare)
		return !op->d_compare(dentry, dentry->d_name.len,
				      (const char *)dentry->d_name.name, name);
	return dentry->d_name.len == name->len &&
	       !memcmp(dentry->d_name.name, name->name, name->len);
}

struct dentry *d_lookup(const struct dentry *folder, const struct qstr *name)
{
	struct dentry *dentry;

	spin_lock(&names_lock);
	hlist_for_each_entry(dentry, &folder->d_children, d_sib) {
		if (!d_unhashed(dentry) && has_name(folder, dentry, name)) {
			dentry->d_lockref.count++;
			break;
		}
	}
	spin_unlock(&names_lock);
	return dentry;
}

struct dentry *d_hash_and_lookup(struct dentry *folder, struct qstr *name)
{
	int error = 0;

	name->hash = full_name_hash(folder, (const char *)name->name, name->len);
	if (operations_of(folder)->d_hash)
		error = operations_of(folder)->d_hash(folder, name);
	return error ? ERR_PTR(error) : d_lookup(folder, name);
}

struct dentry *d_find_alias(struct inode *inode)
{
	struct dentry *dentry;

	spin_lock(&names_lock);
	hlist_for_each_entry(dentry, &inode->i_dentry, d_alias) {
		if (!d_unhashed(dentry) || IS_ROOT(dentry)) {
			dentry->d_lockref.count++;
			break;
		}
	}
	spin_unlock(&names_lock);
	return dentry;
}

void d_set_d_op(struct dentry *dentry, const struct dentry_operations *operations)
{
	WARN_ON(dentry->d_op != NULL && dentry->d_op != operations);
	dentry->d_op = operations;
}

/* The old texts may still be read: the names swap them, and each ends with its own. */
void d_move(struct dentry *dentry, struct dentry *target)
{
	char *text = malloc((size_t)target->d_name.len + 1);
	struct dentry *old;

	if (!text) {
		pr_err("VFS: no memory for the new name of %pd\n", dentry);
		return;
	}
	memcpy(text, target->d_name.name, target->d_name.len);
	text[target->d_name.len] = '\0';
	spin_lock(&names_lock);
	old = dentry->d_parent;
	if (dentry->d_name.name != (const unsigned char *)(dentry + 1))
		free((void *)dentry->d_name.name);
	dentry->d_name = target->d_name;
	dentry->d_name.name = (const unsigned char *)text;
	target->d_flags &= ~(unsigned int)DCACHE_HASHED;
	dentry->d_flags |= DCACHE_HASHED;
	hlist_del_init(&dentry->d_sib);
	dentry->d_parent = target->d_parent;
	dentry->d_parent->d_lockref.count++;
	hlist_add_head(&dentry->d_sib, &dentry->d_parent->d_children);
	spin_unlock(&names_lock);
	dput(old);
}

static struct dentry *get_from(struct hlist_node *node)
{
	struct dentry *dentry = node ? hlist_entry(node, struct dentry, d_sib) : NULL;

	if (dentry)
		dentry->d_lockref.count++;
	return dentry;
}

static struct dentry *first_below(struct dentry *folder)
{
	struct dentry *dentry;

	spin_lock(&names_lock);
	dentry = get_from(folder->d_children.first);
	spin_unlock(&names_lock);
	return dentry;
}

static struct dentry *after(struct dentry *dentry)
{
	struct dentry *next;

	spin_lock(&names_lock);
	next = get_from(dentry->d_sib.next);
	spin_unlock(&names_lock);
	return next;
}

/* A folder's names are walked with a reference to the one at hand, which stays in the list. */
static void shrink_below(struct dentry *folder)
{
	struct dentry *dentry = first_below(folder), *next;

	while (dentry) {
		shrink_below(dentry);
		next = after(dentry);
		put(dentry, false);
		dentry = next;
	}
}

void d_genocide(struct dentry *root)
{
	struct dentry *dentry = first_below(root), *next;

	while (dentry) {
		d_genocide(dentry);
		next = after(dentry);
		spin_lock(&names_lock);
		if (!d_unhashed(dentry) && dentry->d_inode)
			dentry->d_lockref.count--;
		spin_unlock(&names_lock);
		dput(dentry);
		dentry = next;
	}
}

void shrink_dcache_parent(struct dentry *dentry)
{
	if (dentry->d_sb)
		shrink_below(dentry);
}

void shrink_dcache_sb(struct super_block *sb)
{
	if (sb->s_root)
		shrink_below(sb->s_root);
}

void d_invalidate(struct dentry *dentry)
{
	if (!dentry->d_sb)
		return;
	d_drop(dentry);
	shrink_below(dentry);
}

static void report_busy(struct dentry *folder)
{
	struct dentry *dentry = first_below(folder), *next;

	while (dentry) {
		report_busy(dentry);
		if (dentry->d_lockref.count > 1 && hlist_empty(&dentry->d_children))
			pr_err("BUG: Dentry %p{n=%pd} still in use (%d) [unmount of %s %s]\n",
			       dentry, dentry, dentry->d_lockref.count - 1,
			       dentry->d_sb->s_type->name, dentry->d_sb->s_id);
		next = after(dentry);
		dput(dentry);
		dentry = next;
	}
}

void dcache_unmount(struct super_block *sb)
{
	struct dentry *root = sb->s_root;

	sb->s_root = NULL;
	shrink_below(root);
	report_busy(root);
	d_drop(root);
	dput(root);
}

struct dentry *dcache_next(struct dentry *folder, struct dentry *dentry)
{
	struct dentry *next = dentry ? after(dentry) : first_below(folder);

	dput(dentry);
	while (next && (d_unhashed(next) || !next->d_inode)) {
		dentry = next;
		next = after(dentry);
		dput(dentry);
	}
	return next;
}

static bool put_before(char **at, const char *start, const void *text, size_t length)
{
	if ((size_t)(*at - start) < length)
		return false;
	*at -= length;
	memcpy(*at, text, length);
	return true;
}

char *dentry_path_raw(const struct dentry *dentry, char *buffer, int size)
{
	char *at = buffer + max(size, 0);
	bool fits = put_before(&at, buffer, "", 1);

	spin_lock(&names_lock);
	if (IS_ROOT(dentry))
		fits = fits && put_before(&at, buffer, "/", 1);
	for (; fits && !IS_ROOT(dentry); dentry = dentry->d_parent)
		fits = put_before(&at, buffer, dentry->d_name.name, dentry->d_name.len) &&
		       put_before(&at, buffer, "/", 1);
	spin_unlock(&names_lock);
	return fits ? at : ERR_PTR(-ENAMETOOLONG);
}

char *simple_dname(struct dentry *dentry, char *buffer, int size)
{
	char *at = buffer + max(size, 0);

	if (!put_before(&at, buffer, "", 1) ||
	    !put_before(&at, buffer, dentry->d_name.name, dentry->d_name.len) ||
	    !put_before(&at, buffer, "/", 1))
		return ERR_PTR(-ENAMETOOLONG);
	return at;
}
