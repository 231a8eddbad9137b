// SPDX-License-Identifier: MIT
/*
 * A file's bytes in pages. cf. Linux mm/filemap.c and mm/truncate.c.
 *
 * A mapping has one reference to each of its pages. A page that is missing is read by the mapping's
 * read_folio(); where there is none (ram_aops) it is zeros. write_begin() and write_end() are
 * called if the mapping has them.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/uio.h>
#include <linux/xarray.h>

#include "vfs.h"

const struct address_space_operations ram_aops;

/* The page with a reference for the caller, made if it is missing; NULL without memory. */
static struct page *get_page_at(struct address_space *mapping, unsigned long index)
{
	struct page *page, *old;

	xa_lock(&mapping->i_pages);
	page = xa_load(&mapping->i_pages, index);
	if (page)
		get_page(page);
	xa_unlock(&mapping->i_pages);
	if (page)
		return page;
	page = alloc_page((mapping->gfp_mask ? mapping->gfp_mask : GFP_KERNEL) | __GFP_ZERO);
	if (!page)
		return NULL;
	get_page(page);				/* the mapping's own reference */
	old = xa_cmpxchg(&mapping->i_pages, index, NULL, page, GFP_KERNEL);
	if (old) {
		put_page(page);
		put_page(page);
		return xa_is_err(old) ? NULL : get_page_at(mapping, index);
	}
	xa_lock(&mapping->i_pages);
	mapping->nrpages++;
	xa_unlock(&mapping->i_pages);
	return page;
}

/* As get_page_at(), with the bytes that belong there; or an error pointer. */
static struct page *read_page_at(struct file *file, struct address_space *mapping,
				 unsigned long index)
{
	const struct address_space_operations *op = mapping->a_ops;
	struct page *page = get_page_at(mapping, index);
	int error = 0;

	if (!page)
		return ERR_PTR(-ENOMEM);
	if (!op || (!op->read_folio && !op->readpage) || PageUptodate(page))
		return page;
	lock_page(page);			/* the operation unlocks it */
	page->index = index;
	if (op->read_folio)
		error = op->read_folio(file, page_folio(page));
	else
		error = op->readpage(file, page);
	if (!error)
		return page;
	put_page(page);
	return ERR_PTR(error);
}

ssize_t generic_file_read_iter(struct kiocb *kiocb, struct iov_iter *to)
{
	struct address_space *mapping = kiocb->ki_filp->f_mapping;
	ssize_t done = 0;

	while (iov_iter_count(to)) {
		loff_t pos = kiocb->ki_pos, size = i_size_read(mapping->host);
		size_t offset = (size_t)pos & ~PAGE_MASK, n = PAGE_SIZE - offset, copied;
		struct page *page;

		if (pos >= size)
			break;
		n = min3(n, (size_t)(size - pos), iov_iter_count(to));
		page = read_page_at(kiocb->ki_filp, mapping, (unsigned long)pos >> PAGE_SHIFT);
		if (IS_ERR(page))
			return done ? done : PTR_ERR(page);
		copied = copy_page_to_iter(page, offset, n, to);
		put_page(page);
		kiocb->ki_pos += (loff_t)copied;
		done += (ssize_t)copied;
		if (copied < n)
			return done ? done : -EFAULT;
	}
	file_accessed(kiocb->ki_filp);
	return done;
}

ssize_t generic_write_checks(struct kiocb *kiocb, struct iov_iter *from)
{
	struct inode *inode = kiocb->ki_filp->f_mapping->host;
	loff_t most = inode->i_sb->s_maxbytes;

	if (!iov_iter_count(from))
		return 0;
	if (kiocb->ki_flags & IOCB_APPEND)
		kiocb->ki_pos = i_size_read(inode);
	if (kiocb->ki_pos >= most)
		return -EFBIG;
	iov_iter_truncate(from, (u64)(most - kiocb->ki_pos));
	return (ssize_t)iov_iter_count(from);
}

/* Both are the file's own since 6.17 gives the request in place of the file. */
static void *writer_of(struct kiocb *kiocb)
{
	return linux_since(6, 17) ? (void *)kiocb : (void *)kiocb->ki_filp;
}

/* Copies up to the end of a page by the mapping's own operations. Bytes, or -errno. */
static ssize_t write_by_operations(struct kiocb *kiocb, struct iov_iter *from, size_t n)
{
	struct address_space *mapping = kiocb->ki_filp->f_mapping;
	const struct address_space_operations *op = mapping->a_ops;
	size_t copied;
	struct folio *folio = NULL;
	void *data = NULL;
	int error = op->write_begin(writer_of(kiocb), mapping, kiocb->ki_pos, (unsigned int)n,
				    &folio, &data);

	if (error < 0)
		return error;
	copied = copy_page_from_iter(&folio->page, (size_t)kiocb->ki_pos & ~PAGE_MASK, n, from);
	error = op->write_end(writer_of(kiocb), mapping, kiocb->ki_pos, (unsigned int)n,
			      (unsigned int)copied, folio, data);
	return error < 0 ? error : error == 0 && n ? -EFAULT : error;
}

static ssize_t write_to_page(struct kiocb *kiocb, struct iov_iter *from, size_t n)
{
	struct address_space *mapping = kiocb->ki_filp->f_mapping;
	struct page *page = get_page_at(mapping, (unsigned long)kiocb->ki_pos >> PAGE_SHIFT);
	loff_t end;
	size_t copied;

	if (!page)
		return -ENOSPC;
	copied = copy_page_from_iter(page, (size_t)kiocb->ki_pos & ~PAGE_MASK, n, from);
	put_page(page);
	end = kiocb->ki_pos + (loff_t)copied;
	if (copied && end > i_size_read(mapping->host))
		i_size_write(mapping->host, end);
	return copied ? (ssize_t)copied : -EFAULT;
}

/* The caller holds the inode's lock. */
static ssize_t write_pages(struct kiocb *kiocb, struct iov_iter *from)
{
	const struct address_space_operations *op = kiocb->ki_filp->f_mapping->a_ops;
	ssize_t done = 0, now;

	while (iov_iter_count(from)) {
		size_t n = min_t(size_t, PAGE_SIZE - ((size_t)kiocb->ki_pos & ~PAGE_MASK),
				 iov_iter_count(from));

		now = op && op->write_begin ? write_by_operations(kiocb, from, n) :
					      write_to_page(kiocb, from, n);
		if (now < 0)
			return done ? done : now;
		kiocb->ki_pos += now;
		done += now;
	}
	return done;
}

ssize_t generic_file_write_iter(struct kiocb *kiocb, struct iov_iter *from)
{
	struct inode *inode = kiocb->ki_filp->f_mapping->host;
	ssize_t n;

	inode_lock(inode);
	n = generic_write_checks(kiocb, from);
	if (n > 0)
		file_update_time(kiocb->ki_filp);
	if (n > 0)
		n = write_pages(kiocb, from);
	inode_unlock(inode);
	return n;
}

void truncate_inode_pages(struct address_space *mapping, loff_t start)
{
	unsigned long first = (unsigned long)(start + (loff_t)PAGE_SIZE - 1) >> PAGE_SHIFT, index;
	size_t offset = (size_t)start & ~PAGE_MASK;
	struct page *page;

	if (offset) {
		page = xa_load(&mapping->i_pages, first - 1);
		if (page)
			memset((char *)page_address(page) + offset, 0, PAGE_SIZE - offset);
	}
	xa_for_each_start(&mapping->i_pages, index, page, first) {
		xa_erase(&mapping->i_pages, index);
		mapping->nrpages--;
		put_page(page);
	}
}

void truncate_inode_pages_final(struct address_space *mapping)
{
	truncate_inode_pages(mapping, 0);
}

void truncate_setsize(struct inode *inode, loff_t size)
{
	loff_t old = i_size_read(inode);

	i_size_write(inode, size);
	if (size < old)
		truncate_inode_pages(inode->i_mapping, size);
}

int generic_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	(void)file;
	(void)vma;
	return -ENODEV;			/* no program can have the file open */
}

/* The target of a link is its file's only page, with the zero at the end. */
int page_symlink(struct inode *inode, const char *target, int length)
{
	struct page *page;

	if (length > (int)PAGE_SIZE)
		return -ENAMETOOLONG;
	page = get_page_at(inode->i_mapping, 0);
	if (!page)
		return -ENOMEM;
	memcpy(page_address(page), target, (size_t)length);
	put_page(page);
	i_size_write(inode, length - 1);
	return 0;
}

static const char *page_get_link(struct dentry *dentry, struct inode *inode,
				 struct delayed_call *done)
{
	struct page *page = read_page_at(NULL, inode->i_mapping, 0);

	(void)dentry;
	(void)done;
	if (IS_ERR(page))
		return ERR_CAST(page);
	put_page(page);			/* the mapping keeps it as long as the inode has users */
	return page_address(page);
}

const struct inode_operations page_symlink_inode_operations = { .get_link = page_get_link };
