/* SPDX-License-Identifier: MIT */
/* Frame buffers. A module's are registered as /dev/fbN's numbers; no program opens them. */
#ifndef KERNEL_LINUX_FB_H
#define KERNEL_LINUX_FB_H

#include <linux/backlight.h>
#include <linux/dev_printk.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/pgtable.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include_next <linux/fb.h>

struct fb_info;
struct vm_area_struct;

#define FBINFO_DEFAULT 0
#define FBINFO_FLAG_DEFAULT FBINFO_DEFAULT
#define FBINFO_VIRTFB 0x0004
#define FBINFO_PARTIAL_PAN_OK 0x0040
#define FBINFO_HWACCEL_NONE 0x0000
#define FBINFO_HWACCEL_COPYAREA 0x0100
#define FBINFO_HWACCEL_FILLRECT 0x0200
#define FBINFO_HWACCEL_IMAGEBLIT 0x0400
#define FBINFO_STATE_RUNNING 0
#define FBINFO_STATE_SUSPENDED 1
#define FB_LEFT_POS(info, bits) (32 - (bits))

struct fb_ops {
	struct module *owner;
	int (*fb_open)(struct fb_info *info, int user);
	int (*fb_release)(struct fb_info *info, int user);
	ssize_t (*fb_read)(struct fb_info *info, char __user *buffer, size_t n, loff_t *pos);
	ssize_t (*fb_write)(struct fb_info *info, const char __user *buffer, size_t n,
			    loff_t *pos);
	int (*fb_check_var)(struct fb_var_screeninfo *var, struct fb_info *info);
	int (*fb_set_par)(struct fb_info *info);
	int (*fb_setcolreg)(unsigned int number, unsigned int red, unsigned int green,
			    unsigned int blue, unsigned int transparent, struct fb_info *info);
	int (*fb_setcmap)(struct fb_cmap *map, struct fb_info *info);
	int (*fb_blank)(int blank, struct fb_info *info);
	int (*fb_pan_display)(struct fb_var_screeninfo *var, struct fb_info *info);
	void (*fb_fillrect)(struct fb_info *info, const struct fb_fillrect *rectangle);
	void (*fb_copyarea)(struct fb_info *info, const struct fb_copyarea *area);
	void (*fb_imageblit)(struct fb_info *info, const struct fb_image *image);
	int (*fb_cursor)(struct fb_info *info, struct fb_cursor *cursor);
	int (*fb_sync)(struct fb_info *info);
	int (*fb_ioctl)(struct fb_info *info, unsigned int command, unsigned long argument);
	int (*fb_compat_ioctl)(struct fb_info *info, unsigned int command, unsigned long argument);
	int (*fb_mmap)(struct fb_info *info, struct vm_area_struct *vma);
	void (*fb_destroy)(struct fb_info *info);
};

struct fb_videomode {
	const char *name;
	u32 refresh, xres, yres, pixclock, left_margin, right_margin, upper_margin, lower_margin,
	    hsync_len, vsync_len, sync, vmode, flag;
};

struct fb_deferred_io {
	unsigned long delay;
	bool sort_pagereflist;
	struct mutex lock;
	void (*deferred_io)(struct fb_info *info, struct list_head *pages);
};

struct fb_info {
	refcount_t count;
	int node, flags;
	struct mutex lock, mm_lock;
	struct fb_var_screeninfo var;
	struct fb_fix_screeninfo fix;
	struct fb_cmap cmap;
	struct list_head modelist;
	struct fb_videomode *mode;
	struct fb_deferred_io *fbdefio;
	const struct fb_ops *fbops;
	struct device *device, *dev;
	union {
		char __iomem *screen_base;
		char *screen_buffer;
	};
	unsigned long screen_size;
	void *pseudo_palette;
	u32 state;
	void *fbcon_par, *par;
};

/* A frame buffer with n bytes for the driver, at ->par. NULL without memory. */
static inline struct fb_info *framebuffer_alloc(size_t n, struct device *dev)
{
	struct fb_info *info = kzalloc(ALIGN(sizeof(*info), 16) + n, GFP_KERNEL);

	if (!info)
		return NULL;
	if (n)
		info->par = (char *)info + ALIGN(sizeof(*info), 16);
	info->device = dev;
	INIT_LIST_HEAD(&info->modelist);
	mutex_init(&info->lock);
	mutex_init(&info->mm_lock);
	return info;
}

static inline void framebuffer_release(struct fb_info *info)
{
	kfree(info);
}

/* 0 or -EINVAL without operations. */
static inline int register_framebuffer(struct fb_info *info)
{
	if (!info->fbops)
		return -EINVAL;
	refcount_set(&info->count, 1);
	return 0;
}

static inline void unregister_framebuffer(struct fb_info *info)
{
	if (info->fbops->fb_destroy)
		info->fbops->fb_destroy(info);
}

#define devm_register_framebuffer(dev, info) ((void)(dev), register_framebuffer(info))

static inline void fb_dealloc_cmap(struct fb_cmap *map)
{
	kfree(map->red);
	map->red = map->green = map->blue = map->transp = NULL;
	map->len = 0;
}

/* The colours are one piece of memory, at ->red. 0 or -ENOMEM. */
static inline int fb_alloc_cmap(struct fb_cmap *map, int n, int transparent)
{
	__u16 *colours = n > 0 ? kcalloc((size_t)n * 4, sizeof(*colours), GFP_KERNEL) : NULL;

	if (n > 0 && !colours)
		return -ENOMEM;
	fb_dealloc_cmap(map);
	map->len = (__u32)n;
	map->red = colours;
	map->green = colours ? colours + n : NULL;
	map->blue = colours ? colours + 2 * n : NULL;
	map->transp = colours && transparent ? colours + 3 * n : NULL;
	return 0;
}

#define fb_set_suspend(info, state_value) ((void)((info)->state = (u32)(state_value)))
#define fb_deferred_io_init(info) ((info)->fbdefio ? 0 : -EINVAL)
#define fb_deferred_io_cleanup(info) ((void)(info))
#define fb_blank(info, how) \
	((info)->fbops->fb_blank ? (info)->fbops->fb_blank(how, info) : -EINVAL)
#define fb_set_var(info, wanted) ((void)(wanted), (void)(info), 0)
#define fb_pan_display(info, wanted) ((void)(wanted), (void)(info), -EINVAL)
#define fb_get_options(name, option) ((void)(name), *(option) = NULL, 0)
static inline void fb_videomode_to_var(struct fb_var_screeninfo *var,
				       const struct fb_videomode *mode)
{
	var->xres = var->xres_virtual = mode->xres;
	var->yres = var->yres_virtual = mode->yres;
	var->xoffset = var->yoffset = 0;
	var->pixclock = mode->pixclock;
	var->left_margin = mode->left_margin;
	var->right_margin = mode->right_margin;
	var->upper_margin = mode->upper_margin;
	var->lower_margin = mode->lower_margin;
	var->hsync_len = mode->hsync_len;
	var->vsync_len = mode->vsync_len;
	var->sync = mode->sync;
	var->vmode = mode->vmode & FB_VMODE_MASK;
}

/*
 * No text of the kernel's command line asks for a mode: the driver's own is tried, or the first of
 * its table. 3 if its fb_check_var() takes it (as in Linux, the default), 5 for another of the
 * table, 0 if there is none.
 */
static inline int fb_find_mode(struct fb_var_screeninfo *var, struct fb_info *info,
			       const char *text, const struct fb_videomode *modes, unsigned int n,
			       const struct fb_videomode *mode, unsigned int bits)
{
	(void)text;
	if (!mode && n)
		mode = modes;
	for (unsigned int i = 0; mode; mode = i < n ? &modes[i++] : NULL) {
		fb_videomode_to_var(var, mode);
		var->bits_per_pixel = bits ? bits : 8;
		if (!info->fbops->fb_check_var || !info->fbops->fb_check_var(var, info))
			return i ? 5 : 3;
	}
	return 0;
}

#define fb_register_client(block) ((void)(block), 0)
#define fb_unregister_client(block) ((void)(block), 0)
#define lock_fb_info(info) (mutex_lock(&(info)->lock), 1)
#define unlock_fb_info(info) mutex_unlock(&(info)->lock)

/* Nobody draws: a driver's own functions may call these for the memory of its screen. */
static inline ssize_t fb_sys_read(struct fb_info *info, char __user *buffer, size_t n, loff_t *pos)
{
	return simple_read_from_buffer(buffer, n, pos, info->screen_buffer,
				       info->screen_size ? info->screen_size : info->fix.smem_len);
}

static inline ssize_t fb_sys_write(struct fb_info *info, const char __user *buffer, size_t n,
				   loff_t *pos)
{
	return simple_write_to_buffer(info->screen_buffer,
				      info->screen_size ? info->screen_size : info->fix.smem_len,
				      pos, buffer, n);
}

static inline void sys_fillrect(struct fb_info *info, const struct fb_fillrect *rectangle)
{
	(void)info;
	(void)rectangle;
}

static inline void sys_copyarea(struct fb_info *info, const struct fb_copyarea *area)
{
	(void)info;
	(void)area;
}

static inline void sys_imageblit(struct fb_info *info, const struct fb_image *image)
{
	(void)info;
	(void)image;
}

static inline void cfb_fillrect(struct fb_info *info, const struct fb_fillrect *rectangle)
{
	sys_fillrect(info, rectangle);
}

static inline void cfb_copyarea(struct fb_info *info, const struct fb_copyarea *area)
{
	sys_copyarea(info, area);
}

static inline void cfb_imageblit(struct fb_info *info, const struct fb_image *image)
{
	sys_imageblit(info, image);
}

#define fb_io_read fb_sys_read
#define fb_io_write fb_sys_write
#define __FB_DEFAULT_SYSMEM_OPS_RDWR .fb_read = fb_sys_read, .fb_write = fb_sys_write
#define __FB_DEFAULT_SYSMEM_OPS_DRAW \
	.fb_fillrect = sys_fillrect, .fb_copyarea = sys_copyarea, .fb_imageblit = sys_imageblit
#define __FB_DEFAULT_SYSMEM_OPS_MMAP .fb_mmap = NULL
#define FB_DEFAULT_SYSMEM_OPS \
	__FB_DEFAULT_SYSMEM_OPS_RDWR, __FB_DEFAULT_SYSMEM_OPS_DRAW, __FB_DEFAULT_SYSMEM_OPS_MMAP
#define __FB_DEFAULT_IOMEM_OPS_RDWR .fb_read = fb_io_read, .fb_write = fb_io_write
#define __FB_DEFAULT_IOMEM_OPS_DRAW \
	.fb_fillrect = cfb_fillrect, .fb_copyarea = cfb_copyarea, .fb_imageblit = cfb_imageblit
#define __FB_DEFAULT_IOMEM_OPS_MMAP .fb_mmap = NULL
#define FB_DEFAULT_IOMEM_OPS \
	__FB_DEFAULT_IOMEM_OPS_RDWR, __FB_DEFAULT_IOMEM_OPS_DRAW, __FB_DEFAULT_IOMEM_OPS_MMAP

#define fb_info(info, fmt, ...) pr_info("fb%d: " fmt, (info)->node, ##__VA_ARGS__)
#define fb_warn(info, fmt, ...) pr_warn("fb%d: " fmt, (info)->node, ##__VA_ARGS__)
#define fb_err(info, fmt, ...) pr_err("fb%d: " fmt, (info)->node, ##__VA_ARGS__)
#define fb_dbg(info, fmt, ...) pr_debug("fb%d: " fmt, (info)->node, ##__VA_ARGS__)

#endif
