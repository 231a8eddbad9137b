// SPDX-License-Identifier: MIT
/* Variables as text, for handlers of /proc/sys: see linux/sysctl.h. cf. Linux kernel/sysctl.c. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/sysctl.h>

static int read_number(const struct ctl_table *table, const char *text, size_t n, int *value)
{
	char copy[24];
	size_t used = min(n, sizeof(copy) - 1);

	(void)table;
	memcpy(copy, text, used);
	copy[used] = '\0';
	return kstrtoint(strim(copy), 0, value);
}

int proc_dointvec_minmax(const struct ctl_table *table, int write, void *buffer, size_t *n,
			 loff_t *pos)
{
	int *variable = table->data, value, error;

	if (!variable || !*n || (*pos && !write)) {
		*n = 0;
		return 0;
	}
	if (write) {
		error = read_number(table, buffer, *n, &value);
		if (error)
			return error;
		if ((table->extra1 && value < *(int *)table->extra1) ||
		    (table->extra2 && value > *(int *)table->extra2))
			return -EINVAL;
		WRITE_ONCE(*variable, value);
	} else {
		*n = (size_t)scnprintf(buffer, *n, "%d\n", READ_ONCE(*variable));
	}
	*pos += (loff_t)*n;
	return 0;
}

int proc_dointvec(const struct ctl_table *table, int write, void *buffer, size_t *n, loff_t *pos)
{
	struct ctl_table unlimited = *table;

	unlimited.extra1 = unlimited.extra2 = NULL;
	return proc_dointvec_minmax(&unlimited, write, buffer, n, pos);
}

int proc_dostring(const struct ctl_table *table, int write, void *buffer, size_t *n, loff_t *pos)
{
	char *text = table->data;
	size_t length;

	if (!text || !table->maxlen || !*n || (*pos && !write)) {
		*n = 0;
		return 0;
	}
	if (write) {
		length = min(strcspn(buffer, "\n"), (size_t)table->maxlen - 1);
		length = min(length, *n);
		memcpy(text, buffer, length);
		text[length] = '\0';
	} else {
		*n = (size_t)scnprintf(buffer, *n, "%s\n", text);
	}
	*pos += (loff_t)*n;
	return 0;
}
