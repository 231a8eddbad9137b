/* SPDX-License-Identifier: MIT */
#ifndef _NAMESPACE_H_
#define _NAMESPACE_H_

#include <linux/nsproxy.h>

#endif
