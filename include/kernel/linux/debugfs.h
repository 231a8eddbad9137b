/* SPDX-License-Identifier: MIT */
/* Files of debugfs, at /sys/kernel/debug: see fs.h. */
#ifndef _LINUX_DEBUGFS_H
#define _LINUX_DEBUGFS_H

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/types.h>
#include <usermm/compiler.h>

struct device;

struct debugfs_blob_wrapper {
	void *data;
	unsigned long size;
};

struct debugfs_reg32 {
	char *name;
	unsigned long offset;
};

struct debugfs_regset32 {
	const struct debugfs_reg32 *regs;
	int nregs;
	void __iomem *base;
	struct device *dev;
};

struct debugfs_u32_array {
	u32 *array;
	u32 n_elements;
};

USERMM_BEGIN_DECLS

/*
 * An error pointer if the name is taken (-EEXIST) or none, if the parent is an error pointer
 * (which is passed on), or without memory. A parent of NULL is debugfs's own folder.
 */
struct dentry *debugfs_create_dir(const char *name, struct dentry *parent)
	USERMM_API(debugfs_create_dir);
struct dentry *debugfs_create_file(const char *name, umode_t mode, struct dentry *parent,
				   void *data, const struct file_operations *operations)
	USERMM_API(debugfs_create_file);
struct dentry *debugfs_create_symlink(const char *name, struct dentry *parent,
				      const char *target) USERMM_API(debugfs_create_symlink);
/* Removes what is below it, too. NULL and error pointers have no effect. */
void debugfs_remove(struct dentry *dentry) USERMM_API(debugfs_remove);
/* NULL if there is none. */
struct dentry *debugfs_lookup(const char *name, struct dentry *parent)
	USERMM_API(debugfs_lookup);
void debugfs_lookup_and_remove(const char *name, struct dentry *parent)
	USERMM_API(debugfs_lookup_and_remove);

/* One number each; the x kinds are hexadecimal. */
#define USERMM_DEBUGFS_NUMBER(kind, type)						\
	struct dentry *usermm_debugfs_create_##kind(const char *name, umode_t mode,	\
						    struct dentry *parent, type *value)	\
		__attribute__((visibility("default")))
USERMM_DEBUGFS_NUMBER(u8, u8);
USERMM_DEBUGFS_NUMBER(u16, u16);
USERMM_DEBUGFS_NUMBER(u32, u32);
USERMM_DEBUGFS_NUMBER(u64, u64);
USERMM_DEBUGFS_NUMBER(ulong, unsigned long);
USERMM_DEBUGFS_NUMBER(size_t, size_t);
USERMM_DEBUGFS_NUMBER(x8, u8);
USERMM_DEBUGFS_NUMBER(x16, u16);
USERMM_DEBUGFS_NUMBER(x32, u32);
USERMM_DEBUGFS_NUMBER(x64, u64);
USERMM_DEBUGFS_NUMBER(bool, bool);
USERMM_DEBUGFS_NUMBER(atomic_t, atomic_t);
USERMM_DEBUGFS_NUMBER(str, char *);

struct dentry *debugfs_create_blob(const char *name, umode_t mode, struct dentry *parent,
				   struct debugfs_blob_wrapper *blob)
	USERMM_API(debugfs_create_blob);
void debugfs_create_u32_array(const char *name, umode_t mode, struct dentry *parent,
			      struct debugfs_u32_array *array)
	USERMM_API(debugfs_create_u32_array);
void debugfs_create_regset32(const char *name, umode_t mode, struct dentry *parent,
			     struct debugfs_regset32 *set) USERMM_API(debugfs_create_regset32);
void debugfs_create_devm_seqfile(struct device *dev, const char *name, struct dentry *parent,
				 int (*show)(struct seq_file *, void *))
	USERMM_API(debugfs_create_devm_seqfile);
void usermm_debugfs_file_size(struct dentry *dentry, loff_t size)
	__attribute__((visibility("default")));
ssize_t debugfs_attr_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
	USERMM_API(debugfs_attr_read);
ssize_t debugfs_attr_write(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
	USERMM_API(debugfs_attr_write);

USERMM_END_DECLS

/* Up to 5.x these returned the entry; sources of any version may use it or not. */
#define debugfs_create_u8(name, mode, parent, value) \
	usermm_debugfs_create_u8(name, mode, parent, value)
#define debugfs_create_u16(name, mode, parent, value) \
	usermm_debugfs_create_u16(name, mode, parent, value)
#define debugfs_create_u32(name, mode, parent, value) \
	usermm_debugfs_create_u32(name, mode, parent, value)
#define debugfs_create_u64(name, mode, parent, value) \
	usermm_debugfs_create_u64(name, mode, parent, value)
#define debugfs_create_ulong(name, mode, parent, value) \
	usermm_debugfs_create_ulong(name, mode, parent, value)
#define debugfs_create_size_t(name, mode, parent, value) \
	usermm_debugfs_create_size_t(name, mode, parent, value)
#define debugfs_create_x8(name, mode, parent, value) \
	usermm_debugfs_create_x8(name, mode, parent, value)
#define debugfs_create_x16(name, mode, parent, value) \
	usermm_debugfs_create_x16(name, mode, parent, value)
#define debugfs_create_x32(name, mode, parent, value) \
	usermm_debugfs_create_x32(name, mode, parent, value)
#define debugfs_create_x64(name, mode, parent, value) \
	usermm_debugfs_create_x64(name, mode, parent, value)
#define debugfs_create_bool(name, mode, parent, value) \
	usermm_debugfs_create_bool(name, mode, parent, value)
#define debugfs_create_atomic_t(name, mode, parent, value) \
	usermm_debugfs_create_atomic_t(name, mode, parent, value)
#define debugfs_create_str(name, mode, parent, value) \
	usermm_debugfs_create_str(name, mode, parent, value)
#define debugfs_create_file_unsafe(name, mode, parent, data, operations) \
	debugfs_create_file(name, mode, parent, data, operations)
#define debugfs_create_file_size(name, mode, parent, data, operations, size) \
	usermm_debugfs_file_size(debugfs_create_file(name, mode, parent, data, operations), size)
#define debugfs_remove_recursive(dentry) debugfs_remove(dentry)
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
#define debugfs_real_fops(file) ((file)->f_op)
#else
USERMM_REMOVED(debugfs_real_fops, "6.15", "debugfs_get_aux()")
#endif
#define debugfs_file_get(dentry) ((void)(dentry), 0)
#define debugfs_file_put(dentry) ((void)(dentry))
#define DEFINE_DEBUGFS_ATTRIBUTE(name, get, set, format) \
	DEFINE_SIMPLE_ATTRIBUTE(name, get, set, format)
#define DEFINE_DEBUGFS_ATTRIBUTE_SIGNED(name, get, set, format) \
	DEFINE_SIMPLE_ATTRIBUTE_SIGNED(name, get, set, format)
#define debugfs_initialized() true

#endif
