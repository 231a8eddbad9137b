/* SPDX-License-Identifier: MIT */
/*
 * Classes that lend. A class that would need a new slab takes free objects of a larger class
 * instead, if that one has many in sparse slabs, which are resident anyway.
 */
#ifndef MALLOC_CLASS_LENDING_H
#define MALLOC_CLASS_LENDING_H

#include "malloc/size_classes.h"

/* The cache that serves malloc(size) without alignment: the class's own, or its lender's. */
struct kmem_cache *class_serving(size_t size, struct kmem_cache *own);

#endif
