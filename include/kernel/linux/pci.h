/* SPDX-License-Identifier: MIT */
/*
 * PCI drivers. The machine has no PCI device, so probe() is never called, no device is found, and
 * what takes a device fails.
 */
#ifdef _SYS_PCI_H		/* libc's <sys/pci.h>, which wants the system's header alone */
#include_next <linux/pci.h>
#elif !defined(KERNEL_LINUX_PCI_H)
#define KERNEL_LINUX_PCI_H

#include <linux/dev_printk.h>
#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/dmapool.h>
#include <linux/errno.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/mod_devicetable.h>
#include <linux/pci_ids.h>
#include <linux/pci_regs.h>
#include <linux/pid.h>
#include <linux/pm.h>
#include <linux/socket.h>
#include <linux/types.h>
#include <usermm/compiler.h>
#include_next <linux/pci.h>

#define PCI_STD_NUM_BARS 6
#define PCI_ROM_RESOURCE 6
#define PCI_NUM_RESOURCES 17

enum { PCI_STD_RESOURCES, PCI_STD_RESOURCE_END = PCI_STD_RESOURCES + PCI_STD_NUM_BARS - 1 };

typedef int pci_power_t;
#define PCI_D0 0
#define PCI_D1 1
#define PCI_D2 2
#define PCI_D3hot 3
#define PCI_D3cold 4
typedef unsigned int pci_ers_result_t;
typedef unsigned int pci_channel_state_t;
#define PCI_ERS_RESULT_NONE 1
#define PCI_ERS_RESULT_CAN_RECOVER 2
#define PCI_ERS_RESULT_NEED_RESET 3
#define PCI_ERS_RESULT_DISCONNECT 4
#define PCI_ERS_RESULT_RECOVERED 5

struct pci_bus {
	unsigned char number;
	struct pci_bus *parent;
	struct pci_dev *self;
	char name[48];
};

struct pci_dev {
	struct pci_bus *bus;
	unsigned int devfn;
	unsigned short vendor, device, subsystem_vendor, subsystem_device;
	unsigned int class;
	u8 revision, hdr_type, pin;
	struct pci_driver *driver;
	u64 dma_mask;
	pci_power_t current_state;
	struct device dev;
	int cfg_size;
	unsigned int irq;
	struct resource resource[PCI_NUM_RESOURCES];
	unsigned int is_busmaster : 1, msi_enabled : 1, msix_enabled : 1;
};

struct pci_error_handlers {
	pci_ers_result_t (*error_detected)(struct pci_dev *dev, pci_channel_state_t error);
	pci_ers_result_t (*mmio_enabled)(struct pci_dev *dev);
	pci_ers_result_t (*slot_reset)(struct pci_dev *dev);
	void (*reset_prepare)(struct pci_dev *dev);
	void (*reset_done)(struct pci_dev *dev);
	void (*resume)(struct pci_dev *dev);
};

struct pci_driver {
	const char *name;
	const struct pci_device_id *id_table;
	int (*probe)(struct pci_dev *dev, const struct pci_device_id *id);
	void (*remove)(struct pci_dev *dev);
	int (*suspend)(struct pci_dev *dev, pm_message_t state);
	int (*resume)(struct pci_dev *dev);
	void (*shutdown)(struct pci_dev *dev);
	int (*sriov_configure)(struct pci_dev *dev, int nr);
	const struct pci_error_handlers *err_handler;
	const struct attribute_group **groups, **dev_groups;
	struct device_driver driver;
};

struct msix_entry {
	u32 vector;
	u16 entry;
};

extern const struct bus_type pci_bus_type USERMM_API(pci_bus_type);

#define PCI_DEVICE(vend, dev) \
	.vendor = (vend), .device = (dev), .subvendor = (u32)PCI_ANY_ID, \
	.subdevice = (u32)PCI_ANY_ID
#define PCI_DEVICE_SUB(vend, dev, subvend, subdev) \
	.vendor = (vend), .device = (dev), .subvendor = (subvend), .subdevice = (subdev)
#define PCI_DEVICE_CLASS(dev_class, mask) \
	.class = (dev_class), .class_mask = (mask), .vendor = (u32)PCI_ANY_ID, \
	.device = (u32)PCI_ANY_ID, .subvendor = (u32)PCI_ANY_ID, .subdevice = (u32)PCI_ANY_ID
#define PCI_VDEVICE(vend, dev) \
	.vendor = PCI_VENDOR_ID_##vend, .device = (dev), .subvendor = (u32)PCI_ANY_ID, \
	.subdevice = (u32)PCI_ANY_ID, 0, 0
#define PCI_DEVICE_DATA(vend, dev, data) \
	.vendor = PCI_VENDOR_ID_##vend, .device = PCI_DEVICE_ID_##vend##_##dev, \
	.subvendor = (u32)PCI_ANY_ID, .subdevice = (u32)PCI_ANY_ID, 0, 0, \
	.driver_data = (kernel_ulong_t)(data)
#define DEFINE_PCI_DEVICE_TABLE(name) const struct pci_device_id name[]

static inline int __pci_register_driver(struct pci_driver *driver, struct module *owner,
					const char *module_name)
{
	(void)module_name;
	driver->driver.name = driver->name;
	driver->driver.bus = &pci_bus_type;
	driver->driver.owner = owner;
	driver->driver.groups = driver->groups;
	return driver_register(&driver->driver);
}

#define pci_register_driver(pci_driver_ptr) \
	__pci_register_driver(pci_driver_ptr, THIS_MODULE, KBUILD_MODNAME)

static inline void pci_unregister_driver(struct pci_driver *pci_driver)
{
	driver_unregister(&pci_driver->driver);
}

#define module_pci_driver(pci_driver) \
	module_driver(pci_driver, pci_register_driver, pci_unregister_driver)

#define to_pci_dev(device) container_of(device, struct pci_dev, dev)
#define dev_is_pci(device) ((device)->bus == &pci_bus_type)
#define pci_name(pdev) dev_name(&(pdev)->dev)
#define pci_get_drvdata(pdev) dev_get_drvdata(&(pdev)->dev)
#define pci_set_drvdata(pdev, data) dev_set_drvdata(&(pdev)->dev, data)
#define pci_resource_start(pdev, bar) ((pdev)->resource[bar].start)
#define pci_resource_end(pdev, bar) ((pdev)->resource[bar].end)
#define pci_resource_flags(pdev, bar) ((pdev)->resource[bar].flags)
#define pci_resource_len(pdev, bar)					\
	(pci_resource_end(pdev, bar) ?					\
	 pci_resource_end(pdev, bar) - pci_resource_start(pdev, bar) + 1 : 0)

/* Calls on a device fail with Linux's error for one that is not there. */
#define USERMM_PCI_CALL(name, ...)					\
	static inline int name(struct pci_dev *pdev, ##__VA_ARGS__)	\
	{								\
		(void)pdev;						\
		return -ENODEV;						\
	}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
USERMM_PCI_CALL(pci_enable_device)
USERMM_PCI_CALL(pci_enable_device_mem)
USERMM_PCI_CALL(pci_enable_device_io)
USERMM_PCI_CALL(pcim_enable_device)
USERMM_PCI_CALL(pci_enable_msi)
USERMM_PCI_CALL(pci_enable_msix_exact, struct msix_entry *entries, int n)
USERMM_PCI_CALL(pci_enable_msix_range, struct msix_entry *entries, int least, int most)
USERMM_PCI_CALL(pci_alloc_irq_vectors, unsigned int least, unsigned int most, unsigned int flags)
USERMM_PCI_CALL(pci_irq_vector, unsigned int nr)
USERMM_PCI_CALL(pci_request_regions, const char *name)
USERMM_PCI_CALL(pci_request_region, int bar, const char *name)
USERMM_PCI_CALL(pci_request_selected_regions, int bars, const char *name)
USERMM_PCI_CALL(pcim_iomap_regions, int bars, const char *name)
USERMM_PCI_CALL(pci_save_state)
USERMM_PCI_CALL(pci_set_power_state, pci_power_t state)
USERMM_PCI_CALL(pci_set_mwi)
USERMM_PCI_CALL(pci_find_capability, int capability)
USERMM_PCI_CALL(pci_find_ext_capability, int capability)
USERMM_PCI_CALL(pci_select_bars, unsigned long flags)
USERMM_PCI_CALL(pci_reset_function)
#pragma GCC diagnostic pop
#define USERMM_PCI_CONFIG(kind, type)						\
	static inline int pci_read_config_##kind(const struct pci_dev *pdev, int where, \
						 type *value)			\
	{									\
		(void)pdev;							\
		(void)where;							\
		*value = (type)~0;						\
		return PCIBIOS_DEVICE_NOT_FOUND;				\
	}									\
	static inline int pci_write_config_##kind(const struct pci_dev *pdev, int where, \
						  type value)			\
	{									\
		(void)pdev;							\
		(void)where;							\
		(void)value;							\
		return PCIBIOS_DEVICE_NOT_FOUND;				\
	}
#define PCIBIOS_SUCCESSFUL 0
#define PCIBIOS_DEVICE_NOT_FOUND 0x86
USERMM_PCI_CONFIG(byte, u8)
USERMM_PCI_CONFIG(word, u16)
USERMM_PCI_CONFIG(dword, u32)

#define PCI_IRQ_INTX (1 << 0)
#define PCI_IRQ_LEGACY PCI_IRQ_INTX
#define PCI_IRQ_MSI (1 << 1)
#define PCI_IRQ_MSIX (1 << 2)
#define PCI_IRQ_AFFINITY (1 << 3)
#define PCI_IRQ_ALL_TYPES (PCI_IRQ_INTX | PCI_IRQ_MSI | PCI_IRQ_MSIX)
#define pci_disable_device(pdev) ((void)(pdev))
#define pci_set_master(pdev) ((void)(pdev))
#define pci_clear_master(pdev) ((void)(pdev))
#define pci_clear_mwi(pdev) ((void)(pdev))
#define pci_intx(pdev, enable) ((void)(pdev), (void)(enable))
#define pci_disable_msi(pdev) ((void)(pdev))
#define pci_disable_msix(pdev) ((void)(pdev))
#define pci_free_irq_vectors(pdev) ((void)(pdev))
#define pci_release_regions(pdev) ((void)(pdev))
#define pci_release_region(pdev, bar) ((void)(pdev), (void)(bar))
#define pci_release_selected_regions(pdev, bars) ((void)(pdev), (void)(bars))
#define pci_restore_state(pdev) ((void)(pdev))
#define pci_iomap(pdev, bar, n) ((void)(pdev), (void)(bar), (void)(n), (void __iomem *)NULL)
#define pci_iounmap(pdev, address) ((void)(pdev), (void)(address))
#define pci_ioremap_bar(pdev, bar) pci_iomap(pdev, bar, 0)
#define pcim_iomap(pdev, bar, n) pci_iomap(pdev, bar, n)
#define pcim_iomap_table(pdev) ((void)(pdev), (void __iomem *const *)NULL)
#define pci_dev_get(pdev) (pdev)
#define pci_dev_put(pdev) ((void)(pdev))
#define pci_is_pcie(pdev) ((void)(pdev), false)
#define pci_domain_nr(bus) ((void)(bus), 0)
#define pci_get_device(vend, dev, from) \
	((void)(vend), (void)(dev), (void)(from), (struct pci_dev *)NULL)
#define pci_get_class(dev_class, from) ((void)(dev_class), (void)(from), (struct pci_dev *)NULL)
#define pci_get_subsys(vend, dev, subvend, subdev, from) pci_get_device(vend, dev, from)
#define pci_get_domain_bus_and_slot(domain, bus, devfn) \
	((void)(domain), (void)(bus), (void)(devfn), (struct pci_dev *)NULL)
#define pci_find_bus(domain, nr) ((void)(domain), (void)(nr), (struct pci_bus *)NULL)
#define for_each_pci_dev(pdev) while ((pdev = pci_get_device(PCI_ANY_ID, PCI_ANY_ID, pdev)))
#define pci_dev_present(ids) ((void)(ids), 0)
#define pci_match_id(ids, pdev) \
	((void)(ids), (void)(pdev), (const struct pci_device_id *)NULL)
#define pci_info(pdev, fmt, ...) dev_info(&(pdev)->dev, fmt, ##__VA_ARGS__)
#define pci_warn(pdev, fmt, ...) dev_warn(&(pdev)->dev, fmt, ##__VA_ARGS__)
#define pci_err(pdev, fmt, ...) dev_err(&(pdev)->dev, fmt, ##__VA_ARGS__)
#define pci_dbg(pdev, fmt, ...) dev_dbg(&(pdev)->dev, fmt, ##__VA_ARGS__)
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 18, 0)
#define pci_alloc_consistent(pdev, n, handle) \
	dma_alloc_coherent((pdev) ? &(pdev)->dev : NULL, n, handle, GFP_ATOMIC)
#define pci_free_consistent(pdev, n, address, handle) \
	dma_free_coherent((pdev) ? &(pdev)->dev : NULL, n, address, handle)
#define pci_set_dma_mask(pdev, mask) dma_set_mask(&(pdev)->dev, mask)
#define pci_set_consistent_dma_mask(pdev, mask) dma_set_coherent_mask(&(pdev)->dev, mask)
#else
USERMM_REMOVED(pci_alloc_consistent, "5.18", "dma_alloc_coherent()")
USERMM_REMOVED(pci_free_consistent, "5.18", "dma_free_coherent()")
USERMM_REMOVED(pci_set_dma_mask, "5.18", "dma_set_mask()")
USERMM_REMOVED(pci_set_consistent_dma_mask, "5.18", "dma_set_coherent_mask()")
#endif

#endif
