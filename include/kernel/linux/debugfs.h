/* SPDX-License-Identifier: MIT */
/*
 * Modules can create files, so that they load, but there is no file system in which anybody could
 * open them.
 */
#ifndef _LINUX_DEBUGFS_H
#define _LINUX_DEBUGFS_H

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/types.h>

struct dentry;
struct file_operations;

/* All files and directories are this one; see proc_fs.h. */
#define USERMM_DEBUGFS_ENTRY ((struct dentry *)&usermm_debugfs_entry)
extern char usermm_debugfs_entry __attribute__((visibility("default")));

static inline struct dentry *debugfs_create_dir(const char *name, struct dentry *parent)
{
	(void)name;
	(void)parent;
	return USERMM_DEBUGFS_ENTRY;
}

static inline struct dentry *debugfs_create_file(const char *name, umode_t mode,
						 struct dentry *parent, void *data,
						 const struct file_operations *operations)
{
	(void)name;
	(void)mode;
	(void)parent;
	(void)data;
	(void)operations;
	return USERMM_DEBUGFS_ENTRY;
}

#define debugfs_create_file_unsafe(name, mode, parent, data, operations) \
	debugfs_create_file(name, mode, parent, data, operations)
#define debugfs_create_u32(name, mode, parent, value) ((void)(parent), (void)(value))
#define debugfs_create_u8(name, mode, parent, value) ((void)(parent), (void)(value))
#define debugfs_create_u16(name, mode, parent, value) ((void)(parent), (void)(value))
#define debugfs_create_size_t(name, mode, parent, value) ((void)(parent), (void)(value))
#define debugfs_create_x32(name, mode, parent, value) ((void)(parent), (void)(value))
#define debugfs_create_x8(name, mode, parent, value) ((void)(parent), (void)(value))
#define debugfs_create_x16(name, mode, parent, value) ((void)(parent), (void)(value))
#define debugfs_create_x64(name, mode, parent, value) ((void)(parent), (void)(value))
#define debugfs_create_str(name, mode, parent, value) ((void)(parent), (void)(value))
#define debugfs_create_symlink(name, parent, target) \
	((void)(name), (void)(parent), USERMM_DEBUGFS_ENTRY)
#define debugfs_create_u64(name, mode, parent, value) ((void)(parent), (void)(value))
#define debugfs_create_bool(name, mode, parent, value) ((void)(parent), (void)(value))
#define debugfs_create_ulong(name, mode, parent, value) ((void)(parent), (void)(value))
#define debugfs_create_atomic_t(name, mode, parent, value) ((void)(parent), (void)(value))
#define debugfs_remove(dentry) ((void)(dentry))
#define debugfs_remove_recursive(dentry) ((void)(dentry))
#define debugfs_lookup(name, parent) ((struct dentry *)NULL)
#define DEFINE_SIMPLE_ATTRIBUTE(name, get, set, format)			\
	static const struct file_operations name __maybe_unused = { .owner = NULL }; \
	static int (*name##_get)(void *, u64 *) __maybe_unused = get;	\
	static int (*name##_set)(void *, u64) __maybe_unused = set
#define DEFINE_DEBUGFS_ATTRIBUTE(name, get, set, format) \
	DEFINE_SIMPLE_ATTRIBUTE(name, get, set, format)
#define debugfs_initialized() true

#endif
