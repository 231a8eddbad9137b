// SPDX-License-Identifier: MIT
/* Who has which SysRq key: see linux/sysrq.h. cf. Linux drivers/tty/sysrq.c. */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/spinlock.h>
#include <linux/sysrq.h>

static DEFINE_SPINLOCK(lock);
static const void *operations[36];	/* of digits, then of letters. Sync: lock */

static int index_of(int key)
{
	return isdigit(key) ? key - '0' : islower(key) ? key - 'a' + 10 : -1;
}

static int replace(int key, const void *old, const void *operation)
{
	int index = index_of(key), error = -1;

	if (index < 0)
		return -1;
	spin_lock(&lock);
	if (operations[index] == old) {
		operations[index] = operation;
		error = 0;
	}
	spin_unlock(&lock);
	return error;
}

int usermm_register_sysrq_key(int key, const void *operation)
{
	return replace(key, NULL, operation);
}

int usermm_unregister_sysrq_key(int key, const void *operation)
{
	return replace(key, operation, NULL);
}
