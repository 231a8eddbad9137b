/* SPDX-License-Identifier: MIT */
/* Small memories that keep their content. They are registered; nobody else reads them. */
#ifndef _LINUX_NVMEM_PROVIDER_H
#define _LINUX_NVMEM_PROVIDER_H

#include <linux/device.h>
#include <linux/err.h>
#include <linux/gpio/consumer.h>
#include <linux/klist.h>
#include <linux/slab.h>
#include <linux/types.h>

typedef int (*nvmem_reg_read_t)(void *data, unsigned int at, void *bytes, size_t n);
typedef int (*nvmem_reg_write_t)(void *data, unsigned int at, void *bytes, size_t n);

enum nvmem_type { NVMEM_TYPE_UNKNOWN, NVMEM_TYPE_EEPROM, NVMEM_TYPE_OTP,
		  NVMEM_TYPE_BATTERY_BACKED, NVMEM_TYPE_FRAM };
#define NVMEM_DEVID_NONE (-1)
#define NVMEM_DEVID_AUTO (-2)

struct nvmem_config {
	struct device *dev;
	const char *name;
	int id;
	struct module *owner;
	enum nvmem_type type;
	bool read_only, root_only;
	nvmem_reg_read_t reg_read;
	nvmem_reg_write_t reg_write;
	int size, word_size, stride;
	void *priv;
	bool compat;
	struct device *base_dev;
};

struct nvmem_device {
	struct nvmem_config config;
};

/* An error pointer: -EINVAL without a device or a way to read and write. */
static inline struct nvmem_device *nvmem_register(const struct nvmem_config *config)
{
	struct nvmem_device *device;

	if (!config->dev || (!config->reg_read && !config->reg_write))
		return ERR_PTR(-EINVAL);
	device = kzalloc(sizeof(*device), GFP_KERNEL);
	if (!device)
		return ERR_PTR(-ENOMEM);
	device->config = *config;
	return device;
}

static inline void nvmem_unregister(struct nvmem_device *device)
{
	kfree(device);
}

static inline void usermm_nvmem_release(void *device)
{
	kfree(device);
}

static inline struct nvmem_device *devm_nvmem_register(struct device *dev,
						       const struct nvmem_config *config)
{
	struct nvmem_device *device = nvmem_register(config);
	int error;

	if (IS_ERR(device))
		return device;
	error = devm_add_action_or_reset(dev, usermm_nvmem_release, device);
	return error ? ERR_PTR(error) : device;
}

#endif
