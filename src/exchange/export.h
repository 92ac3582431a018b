/* SPDX-License-Identifier: Apache-2.0 */
/* Writes models in the formats of other tools: the operation "export". */
#ifndef GR_EXCHANGE_EXPORT_H
#define GR_EXCHANGE_EXPORT_H

#include "exchange/format.h"

extern const gr_operation gr_operation_export;

const gr_format *gr_format_number(size_t index); /* NULL past the last */
const gr_about *gr_formats_at(size_t index);
/* The format that the options choose; path: of the file, NULL: none. NULL: none is chosen, and the
 * extension of the file does not imply one. Fills chosen. */
const gr_format *gr_export_choose(const gradus_options *options, const char *path,
                                  gr_export_options *chosen, gradus_error *err);
/* Appends the model to out. path: of the file, which may imply the format; NULL: none. */
gradus_status gr_export(const gradus_model *model, const gradus_options *options, const char *path,
                        gr_buffer *out, gradus_error *err);
/* Writes the model to a file, and its parity file; parity NULL: none. Both files appear, or
 * neither, unless renaming the second fails. */
gradus_status gr_export_write(const gradus_model *model, const gradus_options *options,
                              const char *path, const char *parity, gradus_error *err);

#endif
