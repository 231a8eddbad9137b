/* SPDX-License-Identifier: MIT */
#include <linux/spi/spidev.h>
