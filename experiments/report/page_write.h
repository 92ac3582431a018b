/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a page: a template with a mark for the data, and after it one for the models. */
#ifndef GR_EXPERIMENTS_REPORT_PAGE_WRITE_H
#define GR_EXPERIMENTS_REPORT_PAGE_WRITE_H

#include "experiments/report/report_data.h"

typedef struct gr_page {
    const char *text; /* with the marks @data@ and @models@ */
    size_t size;
} gr_page;

/* Writes the page to a file, whole or not at all. */
gradus_status gr_page_write(const gr_page *page, const gr_report *r, const gr_json_writer *data,
                            const char *path, gradus_error *err);

#endif
