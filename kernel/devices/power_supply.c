// SPDX-License-Identifier: MIT
/* Supplies of modules: see linux/power_supply.h. cf. Linux drivers/power/supply. */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/power_supply.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "class_devices.h"

static DEVICE_KIND(supplies, "power_supply", NULL);

enum kind { KIND_number, KIND_text, KIND_status, KIND_charge_type, KIND_health, KIND_technology,
	    KIND_capacity_level, KIND_scope };

static const struct {
	const char *file;
	enum kind kind;
} properties[] = {
#define PROPERTY(name, file, kind) [POWER_SUPPLY_PROP_##name] = { #file, KIND_##kind },
	USERMM_POWER_PROPERTIES(PROPERTY)
#undef PROPERTY
};

static const char *const status[] = { "Unknown", "Charging", "Discharging", "Not charging",
				      "Full" };
static const char *const charge_type[] = { "Unknown", "N/A", "Trickle", "Fast", "Standard",
					   "Adaptive", "Custom", "Long Life", "Bypass" };
static const char *const health[] = { "Unknown", "Good", "Overheat", "Dead", "Over voltage" };
static const char *const technology[] = { "Unknown", "NiMH", "Li-ion", "Li-poly", "LiFe", "NiCd",
					  "LiMn" };
static const char *const capacity_level[] = { "Unknown", "Critical", "Low", "Normal", "High",
					      "Full" };
static const char *const scope[] = { "Unknown", "System", "Device" };
static const char *const types[] = { "Unknown", "Battery", "UPS", "Mains", "USB" };

static const struct {
	const char *const *texts;
	int nr;
} texts[] = {
#define TEXTS(kind) [KIND_##kind] = { kind, ARRAY_SIZE(kind) }
	TEXTS(status), TEXTS(charge_type), TEXTS(health), TEXTS(technology),
	TEXTS(capacity_level), TEXTS(scope),
#undef TEXTS
};

int power_supply_get_property(struct power_supply *supply, enum power_supply_property property,
			      union power_supply_propval *value)
{
	for (size_t i = 0; i < supply->desc->num_properties; i++)
		if (supply->desc->properties[i] == property)
			return supply->desc->get_property(supply, property, value);
	return -EINVAL;
}

int power_supply_set_property(struct power_supply *supply, enum power_supply_property property,
			      const union power_supply_propval *value)
{
	return supply->desc->set_property ?
	       supply->desc->set_property(supply, property, value) : -ENODEV;
}

static ssize_t property_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	const struct numbered_attribute *which = numbered(attr);
	enum kind kind = properties[which->what].kind;
	union power_supply_propval value = { .intval = 0 };
	int error = power_supply_get_property(which->owner,
					      (enum power_supply_property)which->what, &value);

	if (error)
		return error;
	(void)dev;
	if (kind == KIND_text)
		return sysfs_emit(buffer, "%s\n", value.strval);
	if (kind != KIND_number && value.intval >= 0 && value.intval < texts[kind].nr)
		return sysfs_emit(buffer, "%s\n", texts[kind].texts[value.intval]);
	return sysfs_emit(buffer, "%d\n", value.intval);
}

/* A text that stands for a number, or a number. */
static ssize_t property_store(struct device *dev, struct device_attribute *attr,
			      const char *buffer, size_t n)
{
	const struct numbered_attribute *which = numbered(attr);
	enum kind kind = properties[which->what].kind;
	union power_supply_propval value;
	int error = -EINVAL;

	(void)dev;
	for (int i = 0; kind > KIND_text && i < texts[kind].nr && error < 0; i++)
		if (sysfs_streq(texts[kind].texts[i], buffer))
			error = i;
	if (error < 0)
		error = kstrtoint(buffer, 10, &value.intval);
	else
		value.intval = error;
	if (error >= 0)
		error = power_supply_set_property(which->owner,
						  (enum power_supply_property)which->what, &value);
	return error < 0 ? error : (ssize_t)n;
}

static ssize_t type_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	const struct power_supply *supply = numbered(attr)->owner;

	(void)dev;
	return sysfs_emit(buffer, "%s\n", supply->desc->type < ARRAY_SIZE(types) ?
			  types[supply->desc->type] : types[0]);
}

static int add_attributes(struct power_supply *supply, struct attribute_list *list)
{
	const struct power_supply_desc *desc = supply->desc;
	struct numbered_attribute like = {
		.attr = { .attr = { .mode = 0444 }, .show = type_show },
	};
	int error = list_add_attribute(list, &like, "type");

	like.attr.show = property_show;
	like.attr.store = property_store;
	for (size_t i = 0; !error && i < desc->num_properties; i++) {
		enum power_supply_property property = desc->properties[i];

		if (property >= ARRAY_SIZE(properties))
			return -EINVAL;
		like.what = property;
		like.attr.attr.mode = desc->property_is_writeable &&
				      desc->property_is_writeable(supply, property) > 0 ?
				      0644 : 0444;
		error = list_add_attribute(list, &like, "%s", properties[property].file);
	}
	return error;
}

static void supply_free(struct power_supply *supply)
{
	list_free(supply->usermm_attributes);
	kfree(supply->usermm_attributes);
	kfree(supply);
}

struct power_supply *power_supply_register(struct device *parent,
					   const struct power_supply_desc *desc,
					   const struct power_supply_config *config)
{
	struct power_supply *supply;
	struct attribute_list *list;
	int error;

	if (!desc || !desc->name || !desc->properties || !desc->num_properties ||
	    !desc->get_property)
		return ERR_PTR(-EINVAL);
	supply = kzalloc(sizeof(*supply), GFP_KERNEL);
	list = kzalloc(sizeof(*list), GFP_KERNEL);
	if (!supply || !list) {
		kfree(supply);
		kfree(list);
		return ERR_PTR(-ENOMEM);
	}
	supply->desc = desc;
	supply->drv_data = config ? config->drv_data : NULL;
	supply->dev.init_name = desc->name;
	supply->dev.parent = parent;
	supply->usermm_attributes = list;
	list->owner = supply;
	error = add_attributes(supply, list);
	if (!error) {
		supply->usermm_dev = kind_add(&supplies, parent, supply, list_groups(list),
					      desc->name, 0);
		error = IS_ERR(supply->usermm_dev) ? (int)PTR_ERR(supply->usermm_dev) : 0;
	}
	if (!error) {
		error = device_add_groups(supply->usermm_dev, config ? config->attr_grp : NULL);
		if (error)
			kind_remove(&supplies, supply->usermm_dev);
	}
	if (error) {
		supply_free(supply);
		return ERR_PTR(error);
	}
	return supply;
}

void power_supply_unregister(struct power_supply *supply)
{
	kind_remove(&supplies, supply->usermm_dev);
	supply_free(supply);
}

static void unregister_managed(void *supply)
{
	power_supply_unregister(supply);
}

struct power_supply *devm_power_supply_register(struct device *parent,
						const struct power_supply_desc *desc,
						const struct power_supply_config *config)
{
	struct power_supply *supply = power_supply_register(parent, desc, config);
	int error = IS_ERR(supply) ? 0 :
		    devm_add_action_or_reset(parent, unregister_managed, supply);

	return error ? ERR_PTR(error) : supply;
}
