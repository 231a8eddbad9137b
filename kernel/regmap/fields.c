// SPDX-License-Identifier: MIT
/* Some bits of a register, or of several registers that are alike. */
#include <linux/slab.h>
#include "regmap.h"

struct regmap_field {
	struct regmap *map;
	unsigned int reg, shift, mask;
	unsigned int n, distance;	/* number of alike registers, and from one to the next */
};

static void set_up(struct regmap_field *field, struct regmap *map, const struct reg_field *from)
{
	*field = (struct regmap_field){
		.map = map, .reg = from->reg, .shift = from->lsb,
		.mask = (unsigned int)GENMASK(from->msb, from->lsb),
		.n = from->id_size, .distance = from->id_offset,
	};
	WARN_ON(!field->mask);
}

/* The fields are one block of memory. */
static int set_up_all(struct regmap_field *block, struct regmap *map, struct regmap_field **fields,
		      const struct reg_field *from, int n)
{
	if (!block)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		set_up(&block[i], map, &from[i]);
		fields[i] = &block[i];
	}
	return 0;
}

int regmap_field_bulk_alloc(struct regmap *map, struct regmap_field **fields,
			    const struct reg_field *from, int n)
{
	return set_up_all(kcalloc((size_t)n, sizeof(**fields), GFP_KERNEL), map, fields, from, n);
}

int devm_regmap_field_bulk_alloc(struct device *dev, struct regmap *map,
				 struct regmap_field **fields, const struct reg_field *from, int n)
{
	return set_up_all(devm_kcalloc(dev, (size_t)n, sizeof(**fields), GFP_KERNEL), map, fields,
			  from, n);
}

struct regmap_field *regmap_field_alloc(struct regmap *map, struct reg_field from)
{
	struct regmap_field *field;

	return regmap_field_bulk_alloc(map, &field, &from, 1) ? ERR_PTR(-ENOMEM) : field;
}

struct regmap_field *devm_regmap_field_alloc(struct device *dev, struct regmap *map,
					     struct reg_field from)
{
	struct regmap_field *field;

	return devm_regmap_field_bulk_alloc(dev, map, &field, &from, 1) ? ERR_PTR(-ENOMEM) : field;
}

void regmap_field_free(struct regmap_field *field)
{
	kfree(field);
}

void devm_regmap_field_free(struct device *dev, struct regmap_field *field)
{
	devm_kfree(dev, field);
}

static int read_from(struct regmap_field *field, unsigned int reg, unsigned int *value)
{
	int error = regmap_read(field->map, reg, value);

	if (!error)
		*value = (*value & field->mask) >> field->shift;
	return error;
}

static int update(struct regmap_field *field, unsigned int reg, unsigned int mask,
		  unsigned int value, bool *change, bool async, bool force)
{
	return regmap_update_bits_base(field->map, reg, (mask << field->shift) & field->mask,
				       value << field->shift, change, async, force);
}

int regmap_field_read(struct regmap_field *field, unsigned int *value)
{
	return read_from(field, field->reg, value);
}

int regmap_field_update_bits_base(struct regmap_field *field, unsigned int mask,
				  unsigned int value, bool *change, bool async, bool force)
{
	return update(field, field->reg, mask, value, change, async, force);
}

int regmap_field_test_bits(struct regmap_field *field, unsigned int bits)
{
	unsigned int value;
	int error = regmap_field_read(field, &value);

	return error ?: (value & bits) == bits;
}

int regmap_fields_read(struct regmap_field *field, unsigned int id, unsigned int *value)
{
	return id < field->n ? read_from(field, field->reg + id * field->distance, value) : -EINVAL;
}

int regmap_fields_update_bits_base(struct regmap_field *field, unsigned int id, unsigned int mask,
				   unsigned int value, bool *change, bool async, bool force)
{
	if (id >= field->n)
		return -EINVAL;
	return update(field, field->reg + id * field->distance, mask, value, change, async, force);
}
