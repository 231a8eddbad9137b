/* SPDX-License-Identifier: MIT */
/*
 * Sources of random bits, which modules can register. Names are unique. Nobody reads the sources.
 */
#ifndef LINUX_HWRANDOM_H_
#define LINUX_HWRANDOM_H_

#include <linux/completion.h>
#include <linux/errno.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue_types.h>

struct device;

struct hwrng {
	const char *name;
	int (*init)(struct hwrng *rng);
	void (*cleanup)(struct hwrng *rng);
	int (*data_present)(struct hwrng *rng, int wait);
	int (*data_read)(struct hwrng *rng, u32 *data);
	int (*read)(struct hwrng *rng, void *data, size_t n, bool wait);
	unsigned long priv;
	unsigned short quality;
	struct list_head list;
};

static inline int hwrng_register(struct hwrng *rng)
{
	if (!rng->name || (!rng->data_read && !rng->read))
		return -EINVAL;
	return rng->init ? rng->init(rng) : 0;
}

static inline void hwrng_unregister(struct hwrng *rng)
{
	if (rng->cleanup)
		(rng->cleanup)(rng);
}

#define devm_hwrng_register(dev, rng) ((void)(dev), hwrng_register(rng))
#define devm_hwrng_unregister(dev, rng) ((void)(dev), hwrng_unregister(rng))

#endif
