/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_TRACE_EVENT_H
#define _LINUX_TRACE_EVENT_H

#include <linux/ftrace.h>
#include <linux/hardirq.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/tracepoint.h>

#endif
