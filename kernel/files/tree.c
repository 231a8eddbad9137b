// SPDX-License-Identifier: MIT
/* The tree of the files that modules make: see files.h. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/err.h>
#include <linux/kobject.h>

#include "files.h"
#include "script.h"

/* A mutex of libc: nodes come from libc, too, so that they are no leak of the module's. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;	/* a node has no operation running */
static struct file_node *root;		/* Sync: lock */
static unsigned long next_inode = 1;	/* Sync: lock */

void files_lock(void)
{
	pthread_mutex_lock(&lock);
}

void files_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

static struct file_node *parent_of(const struct file_node *node)
{
	return node_of_dentry(node->dentry.d_parent);
}

static void free_node(struct file_node *node)
{
	free((char *)node->dentry.d_name.name);
	free((char *)node->target);
	free(node);
}

static struct file_node *new_node(const char *name, size_t length, umode_t mode)
{
	struct file_node *node = calloc(1, sizeof(*node));

	if (!node)
		return NULL;
	node->dentry.d_name.name = (unsigned char *)strndup(name, length);
	node->dentry.d_name.len = (u32)length;
	if (!node->dentry.d_name.name) {
		free(node);
		return NULL;
	}
	node->dentry.d_parent = &node->dentry;
	node->dentry.d_inode = &node->inode;
	node->inode.i_mode = mode;
	node->inode.i_nlink = S_ISDIR(mode) ? 2 : 1;
	spin_lock_init(&node->inode.i_lock);
	init_rwsem(&node->inode.i_rwsem);
	INIT_LIST_HEAD(&node->children);
	INIT_LIST_HEAD(&node->sibling);
	init_waitqueue_head(&node->changed);
	node->users = 1;
	node->removed_error = -EIO;
	return node;
}

static struct file_node *child_locked(struct file_node *folder, const char *name, size_t length)
{
	struct file_node *node;

	list_for_each_entry(node, &folder->children, sibling)
		if (node->dentry.d_name.len == length &&
		    !memcmp(node->dentry.d_name.name, name, length))
			return node;
	return NULL;
}

struct file_node *node_child(struct file_node *folder, const char *name)
{
	struct file_node *node;

	files_lock();
	node = child_locked(folder, name, strlen(name));
	files_unlock();
	return node;
}

static void attach(struct file_node *folder, struct file_node *node)
{
	node->dentry.d_parent = &folder->dentry;
	node->inode.i_ino = next_inode++;
	list_add_tail(&node->sibling, &folder->children);
	placeholder_make(node);
}

static struct file_node *root_locked(void)
{
	if (!root) {
		root = new_node("", 0, S_IFDIR | 0755);
		if (root)
			root->is_base = true;
	}
	return root;
}

/*
 * The folder in which the last part of the path lies, and this part as *name. Missing folders are
 * made, as base folders if `base`. NULL without memory.
 */
static struct file_node *walk_locked(struct file_node *folder, const char *path, bool base,
				     const char **name, size_t *length)
{
	for (;;) {
		struct file_node *next;

		path += strspn(path, "/");
		*name = path;
		*length = strcspn(path, "/");
		path += *length;
		if (!*length || !path[strspn(path, "/")] || !folder)
			return folder;
		next = child_locked(folder, *name, *length);
		if (!next) {
			next = new_node(*name, *length, S_IFDIR | 0755);
			if (!next)
				return NULL;
			next->is_base = base;
			attach(folder, next);
		}
		folder = next;
	}
}

/* Linux follows 40 in all; this is for a path whose links lead in a circle. */
#define LINKS_MAX 8

/* Up to `links` links are followed, one behind the other, if their targets are absolute. */
static struct file_node *find_locked(const char *path, unsigned int links)
{
	struct file_node *node = root;

	while (node) {
		size_t length;

		path += strspn(path, "/");
		length = strcspn(path, "/");
		if (!length)
			break;
		node = child_locked(node, path, length);
		if (node && links && node->target && *node->target == '/')
			node = find_locked(node->target, links - 1);
		path += length;
	}
	return node;
}

struct file_node *node_find(const char *path)
{
	struct file_node *node;

	files_lock();
	node = find_locked(path, 0);
	files_unlock();
	return node;
}

struct file_node *node_find_target(const char *path)
{
	struct file_node *node;

	files_lock();
	node = find_locked(path, LINKS_MAX);
	files_unlock();
	return node;
}

struct file_node *node_base(const char *path)
{
	struct file_node *folder, *node = NULL;
	const char *name;
	size_t length;

	files_lock();
	folder = walk_locked(root_locked(), path, true, &name, &length);
	if (folder)
		node = child_locked(folder, name, length);
	if (folder && !node) {
		node = new_node(name, length, S_IFDIR | 0755);
		if (node) {
			node->is_base = true;
			attach(folder, node);
		}
	}
	files_unlock();
	return node;
}

/* Copies all that says what kind of file it is. Nobody else can see the new node yet. */
static void copy_kind(struct file_node *node, const struct file_node *like)
{
	node->inode.i_rdev = like->inode.i_rdev;
	node->inode.i_size = like->inode.i_size;
	node->inode.i_private = like->inode.i_private;
	node->operations = like->operations;
	node->made = like->made == &like->operations ? &node->operations : like->made;
	node->inode.i_fop = node->made;
	node->show = like->show;
	node->seq = like->seq;
	node->seq_size = like->seq_size;
	node->attribute = like->attribute;
	node->binary = like->binary;
	node->kobj = like->kobj;
	node->is_device = like->is_device;
	node->target = like->target;
	if (like->removed_error)
		node->removed_error = like->removed_error;
}

struct file_node *node_create_like(struct file_node *folder, const char *name,
				   const struct file_node *like)
{
	struct file_node *node;
	size_t length;

	if (!folder || IS_ERR(folder) || !name)
		return ERR_PTR(-ENOMEM);
	files_lock();
	folder = walk_locked(folder, name, false, &name, &length);
	if (!folder)
		node = ERR_PTR(-ENOMEM);
	else if (!length || !S_ISDIR(folder->inode.i_mode))
		node = ERR_PTR(-EINVAL);
	else if (child_locked(folder, name, length))
		node = ERR_PTR(-EEXIST);
	else
		node = new_node(name, length, like->inode.i_mode);
	if (node && !IS_ERR(node)) {
		copy_kind(node, like);
		attach(folder, node);
	}
	files_unlock();
	return node ? node : ERR_PTR(-ENOMEM);
}

struct file_node *node_create(struct file_node *folder, const char *name, umode_t mode,
			      const struct file_operations *operations, void *data)
{
	struct file_node like = {
		.inode = { .i_mode = mode, .i_private = data }, .made = operations,
	};

	return node_create_like(folder, name, &like);
}

struct file_node *node_create_device(struct file_node *folder, const char *name, umode_t mode,
				     dev_t number)
{
	struct file_node like = {
		.inode = { .i_mode = mode, .i_rdev = number }, .is_device = true,
	};

	return node_create_like(folder, name, &like);
}

struct file_node *node_create_link(struct file_node *folder, const char *name,
				   const char *target)
{
	struct file_node like = { .inode = { .i_mode = S_IFLNK | 0777 } }, *node;

	like.target = strdup(target);
	node = like.target ? node_create_like(folder, name, &like) : ERR_PTR(-ENOMEM);
	if (IS_ERR(node))
		free((char *)like.target);
	return node;
}

static void put_locked(struct file_node *node)
{
	if (!--node->users)
		free_node(node);
}

void node_put(struct file_node *node)
{
	files_lock();
	put_locked(node);
	files_unlock();
}

static void remove_locked(struct file_node *node)
{
	while (!list_empty(&node->children))
		remove_locked(list_first_entry(&node->children, struct file_node, sibling));
	placeholder_remove(node);
	list_del_init(&node->sibling);
	node->is_removed = true;
	while (node->nr_running)
		pthread_cond_wait(&idle, &lock);
	node->inode.i_private = NULL;
	node->kobj = NULL;
	put_locked(node);
}

/* The folders that a device's name has made ("bus!1" is /dev/bus/1) go with their last device. */
static void remove_device_locked(struct file_node *node)
{
	do {
		struct file_node *folder = parent_of(node);

		remove_locked(node);
		node = folder;
	} while (!node->is_base && list_empty(&node->children));
}

void node_remove(struct file_node *node)
{
	if (!node || IS_ERR(node))
		return;
	files_lock();
	if (!node->is_removed && !node->is_base && node->is_device)
		remove_device_locked(node);
	else if (!node->is_removed && !node->is_base)
		remove_locked(node);
	files_unlock();
}

void node_keep(struct file_node *node)
{
	files_lock();
	node->is_base = true;
	files_unlock();
}

/* Makes placeholders of what is below the node. */
static void make_placeholders(const struct file_node *folder)
{
	const struct file_node *node;

	list_for_each_entry(node, &folder->children, sibling) {
		placeholder_make(node);
		make_placeholders(node);
	}
}

static void placeholder_remove_all(const struct file_node *node)
{
	const struct file_node *child;

	list_for_each_entry(child, &node->children, sibling)
		placeholder_remove_all(child);
	placeholder_remove(node);
}

struct kernfs_node *kernfs_of_node(struct file_node *node)
{
	if (!node)
		return NULL;
	node->kernfs = (struct kernfs_node){
		.name = (const char *)node->dentry.d_name.name, .mode = node->inode.i_mode,
		.priv = node->binary ? (void *)node->binary :
			node->attribute ? (void *)node->attribute : (void *)node->kobj,
	};
	return &node->kernfs;
}

int node_rename(struct file_node *node, const char *name)
{
	char *copy = strdup(name), *old = NULL;
	int error = 0;

	if (!copy)
		return -ENOMEM;
	files_lock();
	if (child_locked(parent_of(node), name, strlen(name))) {
		error = -EEXIST;
	} else {
		placeholder_remove_all(node);
		old = (char *)node->dentry.d_name.name;
		node->dentry.d_name.name = (unsigned char *)copy;
		node->dentry.d_name.len = (u32)strlen(name);
		kernfs_of_node(node);
		placeholder_make(node);
		make_placeholders(node);
	}
	files_unlock();
	free(error ? copy : old);
	return error;
}

bool operation_begin(struct file *file, long *error)
{
	struct file_node *node = node_of(file);
	bool may = true;

	if (!node || node->is_device)
		return true;
	files_lock();
	if (node->is_removed) {
		*error = node->removed_error;
		may = false;
	} else {
		node->nr_running++;
	}
	files_unlock();
	return may;
}

void operation_end(struct file *file)
{
	struct file_node *node = node_of(file);

	if (!node || node->is_device)
		return;
	files_lock();
	if (!--node->nr_running)
		pthread_cond_broadcast(&idle);
	files_unlock();
}

static bool put_before(char **at, const char *start, const char *text, size_t length)
{
	if ((size_t)(*at - start) < length)
		return false;
	*at -= length;
	memcpy(*at, text, length);
	return true;
}

/* Written from the end on, and then moved to the front. */
bool node_path(const struct file_node *node, char *path, size_t size)
{
	char *at = path + size - 1;

	*at = '\0';
	for (; node != parent_of(node); node = parent_of(node))
		if (!put_before(&at, path, (const char *)node->dentry.d_name.name,
				node->dentry.d_name.len) || !put_before(&at, path, "/", 1))
			return false;
	if (!*at && !put_before(&at, path, "/", 1))
		return false;
	memmove(path, at, (size_t)(path + size - at));
	return true;
}

char *d_path(const struct path *path, char *buffer, int size)
{
	if (path->dentry->d_sb)
		return dentry_path_raw(path->dentry, buffer, size);
	if (size <= 0 || !node_path(node_of_dentry(path->dentry), buffer, (size_t)size))
		return ERR_PTR(-ENAMETOOLONG);
	return buffer;
}

/*
 * Reports what the module left behind. A folder of the module's is reported alone, without what
 * lies below it.
 */
static void report(const struct file_node *folder)
{
	const struct file_node *node;
	char path[PATH_MAX];

	list_for_each_entry(node, &folder->children, sibling) {
		if (node->is_base)
			report(node);
		else if (node_path(node, path, sizeof(path)))
			fprintf(stderr, "usermm module: leak: %s was not removed\n", path);
	}
}

void module_files_report(void)
{
	files_lock();
	if (root)
		report(root);
	files_unlock();
}

void placeholders_make_all(void)
{
	files_lock();
	if (root)
		make_placeholders(root);
	files_unlock();
}
