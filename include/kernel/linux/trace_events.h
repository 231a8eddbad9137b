/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_TRACE_EVENT_H
#define _LINUX_TRACE_EVENT_H

#include <linux/dev_printk.h>
#include <linux/file.h>
#include <linux/ftrace.h>
#include <linux/hardirq.h>
#include <linux/ioport.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/socket.h>
#include <linux/tracepoint.h>
#include <linux/uuid.h>

#endif
