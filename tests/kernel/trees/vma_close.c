// SPDX-License-Identifier: MIT
/*
 * What the test of mm/vma.c lacks: updates of Linux 6.12 made mm/vma.c call vma_close(),
 * which mm/internal.h has, and did not give it to the test.
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
