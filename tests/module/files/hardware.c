// SPDX-License-Identifier: MIT
/*
 * Drivers and hooks as in other people's modules, on a machine without the hardware: they are
 * registered, and never called.
 */
#include <linux/blk-mq.h>
#include <linux/i2c.h>
#include <linux/in.h>
#include <linux/input.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/net.h>
#include <linux/of.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/spi/spi.h>
#include <linux/tty.h>
#include <linux/umh.h>
#include <linux/usb.h>
#include <net/sock.h>

static int nr_probed;

static int pci_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	nr_probed++;
	return pci_enable_device(pdev);
}

static const struct pci_device_id pci_ids[] = { { PCI_DEVICE(0x1234, 0x11e8) }, { } };
MODULE_DEVICE_TABLE(pci, pci_ids);
static struct pci_driver pci = { .name = "hardware", .id_table = pci_ids, .probe = pci_probe };

static int usb_probe(struct usb_interface *interface, const struct usb_device_id *id)
{
	nr_probed++;
	usb_set_intfdata(interface, (void *)id);
	return 0;
}

static const struct usb_device_id usb_ids[] = { { USB_DEVICE(0xfff0, 0xfff0) }, { } };
MODULE_DEVICE_TABLE(usb, usb_ids);
static struct usb_driver usb = { .name = "hardware", .id_table = usb_ids, .probe = usb_probe };

static int of_probe(struct platform_device *pdev)
{
	u32 value;

	nr_probed++;
	return of_property_read_u32(pdev->dev.of_node, "value", &value);
}

static const struct of_device_id of_ids[] = { { .compatible = "usermm,hardware" }, { } };
static struct platform_driver platform = {
	.probe = of_probe, .driver = { .name = "hardware", .of_match_table = of_ids },
};

static int before(struct kprobe *probe, struct pt_regs *regs)
{
	nr_probed++;
	return 0;
}

static struct kprobe probe = { .symbol_name = "kernel_clone", .pre_handler = before };

static void show_memory(void)
{
	struct vm_area_struct *vma;
	unsigned int nr = 0, found = 0;
	VMA_ITERATOR(iterator, current->mm, 0);

	mmap_read_lock(current->mm);
	for_each_vma(iterator, vma) {
		nr++;
		found += vma->vm_start <= current->mm->start_code &&
			 current->mm->start_code < vma->vm_end;
	}
	mmap_read_unlock(current->mm);
	pr_info("areas %d, code in %u\n", nr > 2, found);
	pr_info("tables %d\n", !pgd_none(*pgd_offset(current->mm, current->mm->start_code)));
}

static void show_socket(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	struct socket *socket;
	int error;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	error = sock_create_kern(&init_net, AF_INET, SOCK_STREAM, IPPROTO_TCP, &socket);
	if (!error) {
		error = kernel_bind(socket, (struct sockaddr *)&address, sizeof(address)) ?:
			kernel_listen(socket, 1);
		sock_release(socket);
	}
	pr_info("socket %d\n", error);
}

static int __init hardware_init(void)
{
	char *argv[] = { "/bin/false", NULL };
	struct path path;
	int error;

	pr_info("adapter %d, controller %d, terminal %d\n", i2c_get_adapter(1) != NULL,
		spi_busnum_to_master(0) != NULL, get_current_tty() != NULL);
	pr_info("program 0x%x\n", call_usermodehelper(argv[0], argv, NULL, UMH_WAIT_PROC));
	error = kern_path("/etc", LOOKUP_FOLLOW, &path);
	if (!error) {
		pr_info("path %s\n", path.dentry->d_name.name);
		path_put(&path);
	}
	show_memory();
	show_socket();
	error = pci_register_driver(&pci) ?: usb_register(&usb) ?:
		platform_driver_register(&platform) ?: register_kprobe(&probe);
	pr_info("registered %d\n", error);
	return error;
}

static void __exit hardware_exit(void)
{
	unregister_kprobe(&probe);
	platform_driver_unregister(&platform);
	usb_deregister(&usb);
	pci_unregister_driver(&pci);
	pr_info("probed %d\n", nr_probed);
}

module_init(hardware_init);
module_exit(hardware_exit);
MODULE_LICENSE("GPL");
