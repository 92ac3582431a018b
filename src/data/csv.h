/* SPDX-License-Identifier: Apache-2.0 */
/* CSV and TSV: a header, then a row a record, quoted as RFC 4180 says. Columns are the label, the
 * query, the weight and the document where the header or the options name them; all others are
 * features. An empty field, "nan" and "NA" are missing values; blank lines are passed over. */
#ifndef GR_DATA_CSV_H
#define GR_DATA_CSV_H

#include "data/builder.h"
#include "data/lines.h"

/* Appends the rows and the names of the features to the builder. Uses the columns of options. */
gradus_status gr_csv_read(gr_source *source, const gr_read_options *options,
                          gradus_context *context, gr_builder *builder, gradus_error *err);

#endif
