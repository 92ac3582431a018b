/* Experiments of the papers. */
#include "experiments/experiment.h"
#include "experiments/findings.h"

#include <stdlib.h>

bool gradus_experiment_at(size_t index, gradus_experiment *out)
{
    const gr_experiment *experiment = gr_experiment_number(index);

    if (experiment && out)
        *out = (gradus_experiment){ experiment->about.name,
                                    experiment->about.summary,
                                    experiment->about.details,
                                    experiment->family,
                                    experiment->needs,
                                    experiment->takes,
                                    experiment->uses ? experiment->uses : "" };
    return experiment != NULL && out != NULL;
}

gradus_reproduction *gradus_reproduce(gradus_context *context, const char *name,
                                      const gradus_options *options, gradus_error *err)
{
    if (!name) {
        gr_fail(err, GRADUS_BAD_ARGUMENT, "an experiment is known by its name");
        return NULL;
    }
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
    if (!reproduction || !table || index >= reproduction->results->table_count)
        return false;
    const gr_table *found = reproduction->results->tables[index];

    *table =
        (gradus_table){ found->title, found->digits, found->tolerance, found->count, found->cells };
    return true;
}

bool gradus_reproduction_figure_at(const gradus_reproduction *reproduction, size_t index,
                                   gradus_figure *figure)
{
    if (!reproduction || !figure || index >= reproduction->results->figure_count)
        return false;
    const gr_figure *found = reproduction->results->figures[index];

    *figure = (gradus_figure){ found->title, found->x, found->y, found->count, found->series };
    return true;
}

bool gradus_reproduction_claim_at(const gradus_reproduction *reproduction, size_t index,
                                  gradus_claim *claim)
{
    if (!reproduction || !claim || index >= reproduction->results->claim_count)
        return false;
    *claim = reproduction->results->claims[index];
    return true;
}

const char *gradus_reproduction_note_at(const gradus_reproduction *reproduction, size_t index)
{
    return reproduction && index < reproduction->results->note_count
               ? reproduction->results->notes[index]
               : NULL;
}

const char *gradus_reproduction_json(const gradus_reproduction *reproduction)
{
    return reproduction ? reproduction->results->json : "";
}
