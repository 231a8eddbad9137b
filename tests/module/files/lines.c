// SPDX-License-Identifier: MIT
/* Interrupt lines, GPIOs, ports, device memory, and a platform device with its driver. */
#include <linux/gpio.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/module.h>
#include <linux/platform_device.h>

#define PIN 17

static int irq, nr_hits, nr_threads;
static struct platform_device *device;

static irqreturn_t hit(int line, void *data)
{
	nr_hits++;
	return IRQ_WAKE_THREAD;
}

static irqreturn_t hit_thread(int line, void *data)
{
	nr_threads++;
	return IRQ_HANDLED;
}

static int lines_probe(struct platform_device *pdev)
{
	void __iomem *registers = devm_platform_ioremap_resource(pdev, 0);

	if (IS_ERR(registers))
		return PTR_ERR(registers);
	iowrite32(7, registers + 4);
	dev_info(&pdev->dev, "register %u, no such interrupt %d\n", ioread32(registers + 4),
		 platform_get_irq_optional(pdev, 0));
	return 0;
}

static void lines_remove(struct platform_device *pdev)
{
	dev_info(&pdev->dev, "removed\n");
}

static struct platform_driver driver = {
	.probe = lines_probe,
	.remove = lines_remove,
	.driver = { .name = "lines" },
};

static int take_pin(void)
{
	int error = gpio_request(PIN, "button");

	if (error)
		return error;
	gpio_direction_output(PIN, 0);
	irq = gpio_to_irq(PIN);
	error = request_threaded_irq(irq, hit, hit_thread, IRQF_TRIGGER_RISING | IRQF_ONESHOT,
				     "button", &irq);
	if (error)
		gpio_free(PIN);
	return error;
}

static int __init lines_init(void)
{
	struct resource memory = DEFINE_RES_MEM(0xfe200000, 64);
	int error = take_pin();

	if (error)
		return error;
	for (int i = 0; i < 3; i++) {
		gpio_set_value(PIN, 1);
		gpio_set_value(PIN, 0);
	}
	disable_irq(irq);
	gpio_set_value(PIN, 1);
	enable_irq(irq);
	pr_info("taken %d, none %d, line taken %d\n", gpio_request(PIN, "again"),
		gpio_request(9999, "none"), request_irq(irq, hit, 0, "again", NULL));
	if (!request_region(0x378, 3, "port"))
		return -EBUSY;
	pr_info("ports taken %d, read %#x\n", !request_region(0x379, 1, "again"), inb(0x378));
	release_region(0x378, 3);
	error = platform_driver_register(&driver);
	if (error)
		return error;
	device = platform_device_register_simple("lines", PLATFORM_DEVID_NONE, &memory, 1);
	return PTR_ERR_OR_ZERO(device);
}

static void __exit lines_exit(void)
{
	platform_device_unregister(device);
	platform_driver_unregister(&driver);
	free_irq(irq, &irq);
	gpio_free(PIN);
	pr_info("%d hits, threads %d\n", nr_hits, nr_threads > 0);
}

module_init(lines_init);
module_exit(lines_exit);
MODULE_LICENSE("GPL");
