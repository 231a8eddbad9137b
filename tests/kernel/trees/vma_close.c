// SPDX-License-Identifier: MIT
/*
 * A function that the test of mm/vma.c lacks: updates of Linux 6.12 made mm/vma.c call vma_close()
 * of mm/internal.h, and did not add it to the test.
 */
#include "vma_internal.h"

void vma_close(struct vm_area_struct *vma);

/* The area's owner hears of its end once. */
void vma_close(struct vm_area_struct *vma)
{
	if (!vma->vm_ops || !vma->vm_ops->close)
		return;
	vma->vm_ops->close(vma);
	vma->vm_ops = &vma_dummy_vm_ops;
}
