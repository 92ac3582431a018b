/* SPDX-License-Identifier: Apache-2.0 */
/* Markers and numbers of UBJ. */
#ifndef GR_EXCHANGE_DOCUMENT_UBJ_H
#define GR_EXCHANGE_DOCUMENT_UBJ_H

#include "exchange/document.h"

/* Bytes of a number, flag or null after its marker; SIZE_MAX: not such a marker. */
size_t gr_ubj_width(char marker);
/* Reads a length (a marker and an integer) at *at and moves behind it. */
gradus_status gr_ubj_length(const gr_import_file *file, size_t *at, uint64_t *length,
                            gradus_error *err);
/* The integer of `width` bytes, most significant first; signed, except for the marker 'U'. */
int64_t gr_ubj_integer(const char *bytes, char marker);
double gr_ubj_real(const char *bytes, char marker); /* marker 'd' or 'D' */

#endif
