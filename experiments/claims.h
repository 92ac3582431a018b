/* SPDX-License-Identifier: Apache-2.0 */
/* The claims of the papers, with the experiments that test them. They are read from the files
 * experiments/claims/PAPER.tsv, which CMake embeds in the library:
 *
 *   # paper: authors, title (year)
 *   # other lines are comments
 *   id<tab>claim<tab>experiment<tab>check<tab>why<tab>data
 *
 * experiment: that tests the claim, or several, separated by spaces; "": none. check: a part of the
 * text of those claims in its results that belong to this one; for several experiments one each,
 * separated by " | ". Their checks count together. why: the reason why the claim cannot be tested here; only without
 * an experiment. data: what differs from the paper's data and settings, and other remarks. */
#ifndef GR_EXPERIMENTS_CLAIMS_H
#define GR_EXPERIMENTS_CLAIMS_H

#include "gradus_experiments.h"

typedef struct gr_claim_file {
    const char *name, *text;
} gr_claim_file;

/* All files; the last has name NULL. Defined by a file that CMake generates. */
extern const gr_claim_file gr_claim_files[];

/* Reads the files, and the results in folder/EXPERIMENT.json; folder "": none. */
gradus_paper_claims *gr_claims_read(const gr_claim_file *files, const char *folder,
                                    gradus_error *err);
void gr_claims_free(gradus_paper_claims *claims); /* NULL is accepted */
bool gr_claims_at(const gradus_paper_claims *claims, size_t index, gradus_paper_claim *claim);

#endif
