/* SPDX-License-Identifier: MIT */
/* The machine has no PWM: none is found. */
#ifndef __LINUX_PWM_H
#define __LINUX_PWM_H

#include <linux/dev_printk.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/mutex.h>
#include <linux/of.h>
#include <linux/pid.h>
#include <linux/socket.h>

enum pwm_polarity { PWM_POLARITY_NORMAL, PWM_POLARITY_INVERSED };

struct pwm_state {
	u64 period, duty_cycle;
	enum pwm_polarity polarity;
	bool enabled;
};

struct pwm_device {
	const char *label;
	unsigned int hwpwm;
	struct pwm_state state;
};

#define pwm_get(dev, name) ((void)(dev), (void)(name), (struct pwm_device *)ERR_PTR(-ENODEV))
#define pwm_request(number, label) pwm_get(number, label)
#define devm_pwm_get(dev, name) pwm_get(dev, name)
#define devm_of_pwm_get(dev, node, name) ((void)(node), pwm_get(dev, name))
#define pwm_put(pwm) ((void)(pwm))
#define pwm_free(pwm) ((void)(pwm))
#define pwm_config(pwm, duty, period) ((void)(pwm), (void)(duty), (void)(period), -EINVAL)
#define pwm_enable(pwm) ((void)(pwm), -EINVAL)
#define pwm_disable(pwm) ((void)(pwm))
#define pwm_set_polarity(pwm, polarity) ((void)(pwm), (void)(polarity), -EINVAL)
#define pwm_apply_state(pwm, new_state) ((void)(pwm), (void)(new_state), -EINVAL)
#define pwm_apply_might_sleep(pwm, new_state) pwm_apply_state(pwm, new_state)
#define pwm_init_state(pwm, new_state) \
	((void)(pwm), (void)(*(new_state) = (struct pwm_state){ 0 }))
#define pwm_get_state(pwm, now) pwm_init_state(pwm, now)

#endif
