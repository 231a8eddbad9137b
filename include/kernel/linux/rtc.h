/* SPDX-License-Identifier: MIT */
/* Times of clocks. The machine's clock is not this process's: none is found. */
#ifndef KERNEL_LINUX_RTC_H
#define KERNEL_LINUX_RTC_H

#include <linux/cdev.h>
#include <linux/dev_printk.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/interrupt.h>
#include <linux/ioport.h>
#include <linux/mutex.h>
#include <linux/nvmem-provider.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/socket.h>
#include <linux/time64.h>
#include <linux/timerqueue.h>
#include <linux/types.h>
#include <linux/uuid.h>
#include <usermm/compiler.h>
#include_next <linux/rtc.h>

struct rtc_device;

struct rtc_class_ops {
	int (*ioctl)(struct device *dev, unsigned int command, unsigned long argument);
	int (*read_time)(struct device *dev, struct rtc_time *time);
	int (*set_time)(struct device *dev, struct rtc_time *time);
	int (*read_alarm)(struct device *dev, struct rtc_wkalrm *alarm);
	int (*set_alarm)(struct device *dev, struct rtc_wkalrm *alarm);
	int (*alarm_irq_enable)(struct device *dev, unsigned int enabled);
};

struct rtc_device {
	struct device dev;
	const struct rtc_class_ops *ops;
	time64_t range_min;
	u64 range_max;
};

#define RTC_TIMESTAMP_BEGIN_0000 (-62167219200LL)	/* of the years' first and last seconds */
#define RTC_TIMESTAMP_BEGIN_1900 (-2208988800LL)
#define RTC_TIMESTAMP_BEGIN_2000 946684800LL
#define RTC_TIMESTAMP_END_2063 2966371199LL
#define RTC_TIMESTAMP_END_2079 3471292799LL
#define RTC_TIMESTAMP_END_2099 4102444799LL
#define RTC_TIMESTAMP_END_2199 7258118399LL
#define RTC_TIMESTAMP_END_9999 253402300799LL

USERMM_BEGIN_DECLS

/* Seconds since 1970 as a date, and back. */
void rtc_time64_to_tm(time64_t time, struct rtc_time *tm) USERMM_API(rtc_time64_to_tm);
time64_t rtc_tm_to_time64(struct rtc_time *tm) USERMM_API(rtc_tm_to_time64);
/* 0; -EINVAL for a date that is none. */
int rtc_valid_tm(struct rtc_time *tm) USERMM_API(rtc_valid_tm);

USERMM_END_DECLS

#define rtc_class_open(name) ((void)(name), (struct rtc_device *)NULL)
#define rtc_class_close(rtc) ((void)(rtc))
#define rtc_read_time(rtc, tm) ((void)(rtc), (void)(tm), -ENODEV)
#define rtc_set_time(rtc, tm) ((void)(rtc), (void)(tm), -ENODEV)
#define devm_rtc_allocate_device(dev) \
	((struct rtc_device *)devm_kzalloc(dev, sizeof(struct rtc_device), GFP_KERNEL))
#define rtc_add_group(rtc, group) ((void)(rtc), (void)(group), 0)
#define rtc_add_groups(rtc, groups) ((void)(rtc), (void)(groups), 0)
#define devm_rtc_nvmem_register(rtc, config) ((void)(rtc), (void)(config), 0)
#define devm_rtc_register_device(rtc) ((void)(rtc), 0)

#endif
