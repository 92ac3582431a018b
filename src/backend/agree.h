/* SPDX-License-Identifier: Apache-2.0 */
/* Whether processes that work together have been given the same: options, files, data. */
#ifndef GR_BACKEND_AGREE_H
#define GR_BACKEND_AGREE_H

#include "base/error.h"
#include "base/memory.h"
#include "base/param.h"

#include <stdint.h>

/* What this process has been given, as texts. Start with all zeros. */
typedef struct gr_facts {
    gr_array texts; /* name, NUL, value, NUL, and so on */
    size_t used;
    bool failed; /* memory is exhausted */
} gr_facts;

/* NULL or "": a value that is not known here, and not compared. */
void gr_facts_add(gr_facts *facts, const char *name, const char *value);
/* All options but paths of files, which may differ from machine to machine. */
void gr_facts_add_options(gr_facts *facts, gradus_options *options);
void gr_facts_free(gr_facts *facts);

/* A collective call. If facts differ, it fails on all ranks, with the first one that differs and the
 * rank that has it. */
gradus_status gr_agree(const gradus_collectives *with, const gr_facts *facts, gradus_error *err);

#endif
