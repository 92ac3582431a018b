/* SPDX-License-Identifier: Apache-2.0 */
/* CSV and TSV: a header, then one row per record, with quoting by RFC 4180. The header or the
 * options identify the label, query, weight and document columns; all others are features. An empty
 * field, "nan" and "NA" are missing values; blank lines are skipped. */
#ifndef GR_DATA_CSV_H
#define GR_DATA_CSV_H

#include "data/builder.h"
#include "data/lines.h"

/* Appends the rows and the feature names to the builder. Uses the column options. */
gradus_status gr_csv_read(gr_source *source, const gr_read_options *options,
                          gradus_context *context, gr_builder *builder, gradus_error *err);

#endif
