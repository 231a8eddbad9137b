/* SPDX-License-Identifier: MIT */
/* As without CONFIG_REGULATOR: each regulator is NULL, and calls on it succeed. */
#ifndef __LINUX_REGULATOR_CONSUMER_H_
#define __LINUX_REGULATOR_CONSUMER_H_

#include <linux/err.h>
#include <linux/errno.h>

struct device;
struct regulator;

struct regulator_bulk_data {
	const char *supply;
	struct regulator *consumer;
};

#define regulator_get(dev, name) ((void)(dev), (void)(name), (struct regulator *)NULL)
#define devm_regulator_get(dev, name) regulator_get(dev, name)
#define devm_regulator_get_optional(dev, name) \
	((void)(dev), (void)(name), (struct regulator *)ERR_PTR(-ENODEV))
#define devm_regulator_get_enable(dev, name) ((void)(dev), (void)(name), 0)
#define devm_regulator_bulk_get(dev, n, bulk) ((void)(dev), (void)(n), (void)(bulk), 0)
#define regulator_put(regulator) ((void)(regulator))
#define regulator_enable(regulator) ((void)(regulator), 0)
#define regulator_disable(regulator) ((void)(regulator), 0)
#define regulator_bulk_enable(n, bulk) ((void)(n), (void)(bulk), 0)
#define regulator_bulk_disable(n, bulk) ((void)(n), (void)(bulk), 0)
#define regulator_set_voltage(regulator, low, high) \
	((void)(regulator), (void)(low), (void)(high), 0)
#define regulator_get_voltage(regulator) ((void)(regulator), -EINVAL)

#endif
