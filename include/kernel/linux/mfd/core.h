/* SPDX-License-Identifier: MIT */
/* Devices of several functions: each becomes a platform device. */
#ifndef MFD_CORE_H
#define MFD_CORE_H

#include <linux/platform_device.h>
#include <usermm/compiler.h>

#define MFD_RES_SIZE(resources) (sizeof(resources) / sizeof(struct resource))
#define MFD_CELL_ALL(cell_name, res, data, data_size, number, compatible, reg, has_reg, match) { \
	.name = (cell_name), .resources = (res), .num_resources = MFD_RES_SIZE(res), \
	.platform_data = (data), .pdata_size = (data_size), .of_compatible = (compatible), \
	.of_reg = (reg), .use_of_reg = (has_reg), .acpi_match = (match), .id = (number), \
}
#define MFD_CELL_OF_REG(name, res, data, size, id, compatible, reg) \
	MFD_CELL_ALL(name, res, data, size, id, compatible, reg, true, NULL)
#define MFD_CELL_OF(name, res, data, size, id, compatible) \
	MFD_CELL_ALL(name, res, data, size, id, compatible, 0, false, NULL)
#define MFD_CELL_ACPI(name, res, data, size, id, match) \
	MFD_CELL_ALL(name, res, data, size, id, NULL, 0, false, match)
#define MFD_CELL_BASIC(name, res, data, size, id) \
	MFD_CELL_ALL(name, res, data, size, id, NULL, 0, false, NULL)
#define MFD_CELL_RES(name, res) MFD_CELL_BASIC(name, res, NULL, 0, 0)
#define MFD_CELL_NAME(cell_name) { .name = (cell_name) }
#define MFD_DEP_LEVEL_NORMAL 0
#define MFD_DEP_LEVEL_HIGH 1

struct irq_domain;
struct software_node;

struct mfd_cell_acpi_match {
	const char *pnpid;
	unsigned long long adr;
};

struct mfd_cell {
	const char *name;
	int id, level;
	int (*suspend)(struct platform_device *dev);
	int (*resume)(struct platform_device *dev);
	const void *platform_data;	/* copied */
	size_t pdata_size;
	const struct mfd_cell_acpi_match *acpi_match;
	const struct software_node *swnode;
	const char *of_compatible;
	u64 of_reg;
	bool use_of_reg;
	int num_resources;
	const struct resource *resources;
	bool ignore_resource_conflicts, pm_runtime_no_callbacks;
	int num_parent_supplies;
	const char *const *parent_supplies;
};

USERMM_BEGIN_DECLS

/*
 * Adds a platform device for each cell, numbered id + the cell's id, or as PLATFORM_DEVID_AUTO and
 * NONE say. Memory is relative to mem_base, interrupts to irq_base. On an error none is left.
 */
int mfd_add_devices(struct device *parent, int id, const struct mfd_cell *cells, int n_devs,
		    struct resource *mem_base, int irq_base, struct irq_domain *irq_domain)
	USERMM_API(mfd_add_devices);
/* As above; they go with dev. */
int devm_mfd_add_devices(struct device *dev, int id, const struct mfd_cell *cells, int n_devs,
			 struct resource *mem_base, int irq_base, struct irq_domain *irq_domain)
	USERMM_API(devm_mfd_add_devices);
/* Removes the parent's devices: those of MFD_DEP_LEVEL_HIGH by _late() alone. */
void mfd_remove_devices(struct device *parent)
	USERMM_API(mfd_remove_devices);
void mfd_remove_devices_late(struct device *parent)
	USERMM_API(mfd_remove_devices_late);

USERMM_END_DECLS

#define mfd_add_hotplug_devices(parent, cells, n) \
	mfd_add_devices(parent, PLATFORM_DEVID_AUTO, cells, n, NULL, 0, NULL)

/* NULL: not a cell's device. */
static inline const struct mfd_cell *mfd_get_cell(struct platform_device *pdev)
{
	return pdev->mfd_cell;
}

#endif
