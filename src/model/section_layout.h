/* SPDX-License-Identifier: Apache-2.0 */
/* Types of the items of model sections. A layout is the type of a number, or "name type, name type,
 * ..." for records: struct types with these fields in this order and without padding. */
#ifndef GR_MODEL_SECTION_LAYOUT_H
#define GR_MODEL_SECTION_LAYOUT_H

#include "base/json.h"

#define GR_F32 "f32"
#define GR_F64 "f64"
#define GR_I32 "i32"
#define GR_U32 "u32"
#define GR_U64 "u64"
#define GR_TEXTS "texts" /* strings that end in NUL */
#define GR_SPLITS                                                                                  \
    "feature u32, threshold f32, left i32, right i32, gain f32, missing_left u32" /* gr_split */

/* Size of an item in bytes; 0: not a layout. */
size_t gr_layout_size(const char *layout);
/* Puts the items of a section: a list of numbers or strings, or for records an object with one list
 * per field. Infinite numbers are 1e999 and -1e999, which JSON parsers read as such, NaN is null. */
void gr_layout_put(gr_json_writer *json, const char *key, const char *layout, const void *bytes,
                   size_t size);

#endif
