// SPDX-License-Identifier: MIT
/* Devices whose memory programs map: by numbers of pages, by pages, by faults, by vmalloc(). */
#include <linux/fs.h>
#include <linux/kobject.h>
#include <linux/io.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/version.h>

#define NR_PAGES 3

static char *block, *area;	/* NR_PAGES pages each */
static struct page *pages[NR_PAGES];
static int nr_open, nr_closed;

static char *memory_of(struct file *file);

static int block_mmap(struct file *file, struct vm_area_struct *vma)
{
	unsigned long bytes = vma->vm_end - vma->vm_start;

	if (vma->vm_pgoff + (bytes >> PAGE_SHIFT) > NR_PAGES)
		return -EINVAL;
	return remap_pfn_range(vma, vma->vm_start,
			       (virt_to_phys(block) >> PAGE_SHIFT) + vma->vm_pgoff, bytes,
			       vma->vm_page_prot);
}

static int area_mmap(struct file *file, struct vm_area_struct *vma)
{
	return remap_vmalloc_range(vma, area, vma->vm_pgoff);
}

static int pages_mmap(struct file *file, struct vm_area_struct *vma)
{
	int error = vm_insert_page(vma, vma->vm_start - PAGE_SIZE, pages[0]);

	if (error != -EFAULT)
		return -EIO;
	error = vm_map_pages(vma, pages, NR_PAGES);
	if (!error && vm_insert_page(vma, vma->vm_start, pages[0]) != -EBUSY)
		error = -EIO;
	return error;
}

/* The page behind the last one is missing: who touches it gets SIGBUS. */
static vm_fault_t fault(struct vm_fault *vmf)
{
	if (vmf->pgoff >= NR_PAGES)
		return VM_FAULT_SIGBUS;
	vmf->page = pages[vmf->pgoff];
	get_page(vmf->page);
	return 0;
}

static void area_open(struct vm_area_struct *vma)
{
	nr_open++;
}

static void area_close(struct vm_area_struct *vma)
{
	nr_closed++;
}

static const struct vm_operations_struct operations = {
	.open = area_open, .close = area_close, .fault = fault,
};

static int faults_mmap(struct file *file, struct vm_area_struct *vma)
{
	vma->vm_ops = &operations;
	area_open(vma);
	return 0;
}

static ssize_t mapped_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	char *memory = memory_of(file);

	if (!memory)		/* the page in the middle */
		memory = page_address(pages[1]);
	return simple_read_from_buffer(buffer, n, pos, memory, PAGE_SIZE);
}

static const struct file_operations block_fops = { .mmap = block_mmap, .read = mapped_read };
static const struct file_operations area_fops = { .mmap = area_mmap, .read = mapped_read };
static const struct file_operations pages_fops = { .mmap = pages_mmap, .read = mapped_read };
static const struct file_operations faults_fops = { .mmap = faults_mmap, .read = mapped_read };
static const struct file_operations none_fops = { .read = mapped_read };
static struct miscdevice devices[] = {
	{ .minor = MISC_DYNAMIC_MINOR, .name = "block", .fops = &block_fops },
	{ .minor = MISC_DYNAMIC_MINOR, .name = "area", .fops = &area_fops },
	{ .minor = MISC_DYNAMIC_MINOR, .name = "pages", .fops = &pages_fops },
	{ .minor = MISC_DYNAMIC_MINOR, .name = "faults", .fops = &faults_fops },
	{ .minor = MISC_DYNAMIC_MINOR, .name = "deep!none", .fops = &none_fops },
};

static char *memory_of(struct file *file)
{
	return file->f_op == &block_fops ? block : file->f_op == &area_fops ? area : NULL;
}

/* The pages again, as a file of /sys. */
static int attribute_mmap(struct file *file, struct kobject *kobj, const struct bin_attribute *attr,
			  struct vm_area_struct *vma)
{
	return vm_map_pages_zero(vma, pages, NR_PAGES);
}

static ssize_t attribute_read(struct file *file, struct kobject *kobj,
			      const struct bin_attribute *attr, char *buffer, loff_t pos, size_t n)
{
	memcpy(buffer, (char *)page_address(pages[0]) + pos, n);
	return n;
}

static const struct bin_attribute attribute = {
	.attr = { .name = "mapped", .mode = 0600 }, .size = PAGE_SIZE, .mmap = attribute_mmap,
	.read = attribute_read,
};

static int __init mapped_init(void)
{
	struct vm_area_struct own = { .vm_start = PAGE_SIZE, .vm_end = 2 * PAGE_SIZE };
	int error = 0;

	block = kmalloc(NR_PAGES * PAGE_SIZE, GFP_KERNEL | __GFP_ZERO);
	area = vmalloc_user(NR_PAGES * PAGE_SIZE);
	for (int i = 0; i < NR_PAGES; i++)
		pages[i] = alloc_page(GFP_KERNEL | __GFP_ZERO);
	pr_info("own area %d, no page %d\n", vm_insert_page(&own, PAGE_SIZE, pages[0]),
		remap_pfn_range(&own, PAGE_SIZE, 0, PAGE_SIZE, own.vm_page_prot));
	for (size_t i = 0; i < ARRAY_SIZE(devices) && !error; i++)
		error = misc_register(&devices[i]);
	return error ? error : sysfs_create_bin_file(kernel_kobj, &attribute);
}

static void __exit mapped_exit(void)
{
	sysfs_remove_bin_file(kernel_kobj, &attribute);
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
		misc_deregister(&devices[i]);
	for (int i = 0; i < NR_PAGES; i++) {
		pr_info("page %d has %d users, byte %d\n", i, page_count(pages[i]),
			*(char *)page_address(pages[i]));
		__free_page(pages[i]);
	}
	pr_info("areas %d, closed %d, block %d\n", nr_open, nr_closed, block[PAGE_SIZE]);
	vfree(area);
	kfree(block);
}

module_init(mapped_init);
module_exit(mapped_exit);
MODULE_LICENSE("GPL");
