/* SPDX-License-Identifier: Apache-2.0 */
/* Universal Binary JSON, as XGBoost writes it, turned into JSON. */
#ifndef GR_TESTS_UBJ_TEXT_H
#define GR_TESTS_UBJ_TEXT_H

#include "base/buffer.h"

/* Reads the value at *at, moves *at behind it and appends it as JSON without spaces. Infinite
 * numbers become 1e39 and -1e39. Fails the test if the bytes are something else. */
void ubj_value(const uint8_t **at, gr_buffer *out);

#endif
