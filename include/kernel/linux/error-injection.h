/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_ERROR_INJECTION_H
#define KERNEL_LINUX_ERROR_INJECTION_H

#define ALLOW_ERROR_INJECTION(function, type) struct usermm_needs_a_semicolon

#endif
