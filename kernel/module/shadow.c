// SPDX-License-Identifier: MIT
/* Data that is added to objects: see linux/livepatch.h. cf. Linux kernel/livepatch/shadow.c. */
#include <linux/livepatch.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

struct shadow {
	struct list_head list;
	void *object;
	unsigned long id;
	char data[] __attribute__((aligned(16)));
};

static DEFINE_SPINLOCK(lock);
static LIST_HEAD(shadows);	/* Sync: lock */

/* Call it under the lock. */
static struct shadow *find(void *object, unsigned long id)
{
	struct shadow *shadow;

	list_for_each_entry(shadow, &shadows, list)
		if (shadow->object == object && shadow->id == id)
			return shadow;
	return NULL;
}

void *klp_shadow_get(void *object, unsigned long id)
{
	struct shadow *shadow;
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	shadow = find(object, id);
	spin_unlock_irqrestore(&lock, flags);
	return shadow ? shadow->data : NULL;
}

/* *existing is what was there before. The constructor runs under the lock, so it must not sleep. */
static void *add(void *object, unsigned long id, size_t n, gfp_t gfp,
		 klp_shadow_ctor_t constructor, void *data, struct shadow **existing)
{
	struct shadow *shadow = kzalloc(sizeof(*shadow) + n, gfp);
	unsigned long flags;
	int error = 0;

	spin_lock_irqsave(&lock, flags);
	*existing = find(object, id);
	if (!*existing && shadow) {
		shadow->object = object;
		shadow->id = id;
		if (constructor)
			error = constructor(object, shadow->data, data);
		if (!error)
			list_add(&shadow->list, &shadows);
	}
	spin_unlock_irqrestore(&lock, flags);
	if (error)
		pr_err("Failed to construct shadow variable <%p, %lx> (%d)\n", object, id, error);
	if (*existing || error) {
		kfree(shadow);
		return NULL;
	}
	return shadow ? shadow->data : NULL;
}

void *klp_shadow_alloc(void *object, unsigned long id, size_t n, gfp_t gfp,
		       klp_shadow_ctor_t constructor, void *data)
{
	struct shadow *existing;
	void *added = add(object, id, n, gfp, constructor, data, &existing);

	WARN(existing, "Duplicate shadow variable <%p, %lx>\n", object, id);
	return added;
}

void *klp_shadow_get_or_alloc(void *object, unsigned long id, size_t n, gfp_t gfp,
			      klp_shadow_ctor_t constructor, void *data)
{
	struct shadow *existing;
	void *there = klp_shadow_get(object, id), *added;

	if (there)
		return there;
	added = add(object, id, n, gfp, constructor, data, &existing);
	return existing ? existing->data : added;
}

/* Call it under the lock. */
static void remove(struct shadow *shadow, klp_shadow_dtor_t destructor)
{
	list_del(&shadow->list);
	if (destructor)
		destructor(shadow->object, shadow->data);
	kfree(shadow);
}

void klp_shadow_free(void *object, unsigned long id, klp_shadow_dtor_t destructor)
{
	struct shadow *shadow;
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	shadow = find(object, id);
	if (shadow)
		remove(shadow, destructor);
	spin_unlock_irqrestore(&lock, flags);
}

void klp_shadow_free_all(unsigned long id, klp_shadow_dtor_t destructor)
{
	struct shadow *shadow, *next;
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	list_for_each_entry_safe(shadow, next, &shadows, list)
		if (shadow->id == id)
			remove(shadow, destructor);
	spin_unlock_irqrestore(&lock, flags);
}
