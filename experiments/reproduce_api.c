/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: reproductions of the papers' experiments. */
#include "api/api_arguments.h"
#include "experiments/claims.h"
#include "experiments/experiment.h"
#include "experiments/findings.h"

#include <stdlib.h>

bool gradus_experiment_at(size_t index, gradus_experiment *out)
{
    if (!GR_GIVEN(NULL, out))
        return false;
    const gr_experiment *experiment = gr_experiment_number(index);

    if (experiment)
        *out = (gradus_experiment){ experiment->about.name,
                                    experiment->about.summary,
                                    experiment->about.details,
                                    experiment->family,
                                    experiment->needs,
                                    experiment->takes,
                                    experiment->uses ? experiment->uses : "",
                                    gr_experiment_seconds(experiment) };
    return experiment != NULL;
}

gradus_reproduction *gradus_reproduce(gradus_context *context, const char *name,
                                      const gradus_options *options, gradus_error *err)
{
    if (!GR_GIVEN(err, name))
        return NULL;
    return gr_reproduce(context, name, options, err);
}

void gradus_reproduction_free(gradus_reproduction *reproduction)
{
    if (!reproduction)
        return;
    gr_results_free(reproduction->results);
    free(reproduction);
}

bool gradus_reproduction_table_at(const gradus_reproduction *reproduction, size_t index,
                                  gradus_table *table)
{
    if (!GR_GIVEN(NULL, reproduction, table))
        return false;
    if (index >= reproduction->results->table_count)
        return false;
    const gr_table *found = reproduction->results->tables[index];

    *table = (gradus_table){ .title = found->title,
                             .digits = found->digits,
                             .rule = gr_rule_name(&found->rule),
                             .criterion = found->criterion,
                             .tolerance = found->rule.tolerance,
                             .count = found->count,
                             .cells = found->cells };
    return true;
}

bool gradus_reproduction_figure_at(const gradus_reproduction *reproduction, size_t index,
                                   gradus_figure *figure)
{
    if (!GR_GIVEN(NULL, reproduction, figure))
        return false;
    if (index >= reproduction->results->figure_count)
        return false;
    const gr_figure *found = reproduction->results->figures[index];

    *figure = (gradus_figure){ found->title, found->x, found->y, found->count, found->series };
    return true;
}

bool gradus_reproduction_claim_at(const gradus_reproduction *reproduction, size_t index,
                                  gradus_claim *claim)
{
    if (!GR_GIVEN(NULL, reproduction, claim))
        return false;
    if (index >= reproduction->results->claim_count)
        return false;
    *claim = reproduction->results->claims[index];
    return true;
}

const char *gradus_reproduction_note_at(const gradus_reproduction *reproduction, size_t index)
{
    if (!GR_GIVEN(NULL, reproduction))
        return NULL;
    return reproduction && index < reproduction->results->note_count
               ? reproduction->results->notes[index]
               : NULL;
}

const char *gradus_reproduction_json(const gradus_reproduction *reproduction)
{
    if (!GR_GIVEN(NULL, reproduction))
        return NULL;
    return reproduction ? reproduction->results->json : "";
}

gradus_paper_claims *gradus_paper_claims_read(const char *folder, gradus_error *err)
{
    if (!GR_GIVEN(err, folder))
        return NULL;
    return gr_claims_read(gr_claim_files, folder, err);
}

void gradus_paper_claims_free(gradus_paper_claims *claims)
{
    gr_claims_free(claims);
}

bool gradus_paper_claim_at(const gradus_paper_claims *claims, size_t index,
                           gradus_paper_claim *claim)
{
    return GR_GIVEN(NULL, claims, claim) && gr_claims_at(claims, index, claim);
}
