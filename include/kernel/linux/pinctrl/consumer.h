/* SPDX-License-Identifier: MIT */
/* Pins' functions: there is no controller, so none is found, as with these options off. */
#ifndef __LINUX_PINCTRL_CONSUMER_H
#define __LINUX_PINCTRL_CONSUMER_H

#include <linux/err.h>
#include <linux/list.h>
#include <linux/types.h>

struct device;
struct pinctrl;
struct pinctrl_state;

#define PINCTRL_STATE_DEFAULT "default"
#define PINCTRL_STATE_INIT "init"
#define PINCTRL_STATE_IDLE "idle"
#define PINCTRL_STATE_SLEEP "sleep"

#define pinctrl_get(dev) ((void)(dev), (struct pinctrl *)NULL)
#define devm_pinctrl_get(dev) pinctrl_get(dev)
#define pinctrl_get_select(dev, name) ((void)(name), pinctrl_get(dev))
#define pinctrl_get_select_default(dev) pinctrl_get(dev)
#define devm_pinctrl_get_select(dev, name) pinctrl_get_select(dev, name)
#define devm_pinctrl_get_select_default(dev) pinctrl_get(dev)
#define pinctrl_lookup_state(pins, name) \
	((void)(pins), (void)(name), (struct pinctrl_state *)NULL)
#define pinctrl_select_state(pins, state) ((void)(pins), (void)(state), 0)
#define pinctrl_put(pins) ((void)(pins))
#define devm_pinctrl_put(pins) ((void)(pins))
#define pinctrl_pm_select_default_state(dev) ((void)(dev), 0)
#define pinctrl_pm_select_sleep_state(dev) ((void)(dev), 0)
#define pinctrl_pm_select_idle_state(dev) ((void)(dev), 0)

#endif
