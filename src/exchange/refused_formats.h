/* SPDX-License-Identifier: Apache-2.0 */
/* Files of models that are recognised but cannot be imported. */
#ifndef GR_EXCHANGE_REFUSED_FORMATS_H
#define GR_EXCHANGE_REFUSED_FORMATS_H

#include <stddef.h>

/* What a file that starts with these bytes (up to 64 KiB) is, why it cannot be imported and what to
 * use instead: "a model of Solr, ..."; NULL for any other file. */
const char *gr_refused_format(const char *bytes, size_t size);

#endif
