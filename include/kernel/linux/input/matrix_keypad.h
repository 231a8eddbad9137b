/* SPDX-License-Identifier: MIT */
/* Keys in rows and columns. */
#ifndef _MATRIX_KEYPAD_H
#define _MATRIX_KEYPAD_H

#include <linux/types.h>
#include <usermm/compiler.h>

struct device;
struct input_dev;

#define MATRIX_MAX_ROWS 32
#define MATRIX_MAX_COLS 32
#define KEY(row, col, val) \
	(((row) & (MATRIX_MAX_ROWS - 1)) << 24 | ((col) & (MATRIX_MAX_COLS - 1)) << 16 | \
	 ((val) & 0xffff))
#define KEY_ROW(k) ((k) >> 24 & 0xff)
#define KEY_COL(k) ((k) >> 16 & 0xff)
#define KEY_VAL(k) ((k) & 0xffff)
#define MATRIX_SCAN_CODE(row, col, row_shift) (((row) << (row_shift)) + (col))

struct matrix_keymap_data {
	const uint32_t *keymap;		/* KEY()s */
	unsigned int keymap_size;
};

USERMM_BEGIN_DECLS

/*
 * Gives the device the keys of the table. keymap is room for rows << get_count_order(cols) codes;
 * NULL: it is allocated, and goes with the device's parent. 0; -ENOMEM; -EINVAL for a key outside;
 * without a table -EINVAL, as on a machine without a device tree.
 */
int matrix_keypad_build_keymap(const struct matrix_keymap_data *keymap_data,
			       const char *keymap_name, unsigned int rows, unsigned int cols,
			       unsigned short *keymap, struct input_dev *input_dev)
	USERMM_API(matrix_keypad_build_keymap);

USERMM_END_DECLS

#define matrix_keypad_parse_properties(dev, rows, cols) \
	((void)(dev), *(rows) = *(cols) = 0, -EINVAL)

#endif
