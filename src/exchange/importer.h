/* SPDX-License-Identifier: Apache-2.0 */
/* Formats of other tools that models can be imported from. To add one: a file
 * exchange/import_<name>.c that ends with a const gr_importer, and a row in importers.def. */
#ifndef GR_EXCHANGE_IMPORTER_H
#define GR_EXCHANGE_IMPORTER_H

#include "base/table.h"
#include "model/model.h"

typedef struct gr_importer {
    gr_about about;
    /* Whether a file that starts with these bytes (up to 64 KiB) has the format, or is of a variant
     * that read refuses with the reason. */
    bool (*detect)(const char *bytes, size_t size);
    /* file: for messages, which name the position in the file. */
    gradus_model *(*read)(const char *bytes, size_t size, const char *file, gradus_error *err);
} gr_importer;

#define GR_IMPORTER(name) extern const gr_importer gr_importer_##name;
#include "exchange/importers.def"
#undef GR_IMPORTER

#endif
