/* SPDX-License-Identifier: MIT */
/* Makes static functions visible to tests. */
#ifndef KUNIT_VISIBILITY_H
#define KUNIT_VISIBILITY_H

#define VISIBLE_IF_KUNIT
#define EXPORT_SYMBOL_IF_KUNIT(symbol)

#endif
