/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a model as JSON (see model_json.h). */
#include "experiments/model_json.h"

#include <string.h>

size_t gr_fact_group(const gradus_model_fact *fact)
{
    const char *dot = strchr(fact->name, '.');

    return dot ? (size_t)(dot - fact->name) : 0;
}

bool gr_fact_is_size(const gradus_model_fact *fact)
{
    return fact->type == GRADUS_FACT_COUNT && gr_fact_group(fact) == 0;
}

static void put_fact(gr_json_writer *j, const char *name, const gradus_model_fact *fact)
{
    if (fact->type == GRADUS_FACT_COUNT)
        gr_json_put_count(j, name, (size_t)fact->number);
    else if (fact->type == GRADUS_FACT_NUMBER)
        gr_json_put_number(j, name, fact->number);
    else if (fact->type == GRADUS_FACT_FLAG)
        gr_json_put_flag(j, name, fact->number != 0.0);
    else
        gr_json_put_text(j, name, fact->text);
}

static void put_size(gr_json_writer *j, const gradus_model *model, size_t rounds)
{
    gradus_model_fact fact;

    gr_json_put_count(j, "rounds", rounds);
    for (size_t i = 0; gradus_model_fact_at(model, i, &fact); i++)
        if (gr_fact_is_size(&fact))
            put_fact(j, fact.name, &fact);
}

/* How an ensemble combines its members. */
static void put_combination(gr_json_writer *j, const gradus_model *model,
                            const gradus_model_info *info)
{
    gradus_model_fact fact;

    gr_json_put_text(j, "combination", info->combination);
    for (size_t i = 0; info->members && gradus_model_fact_at(model, i, &fact); i++)
        if (!gr_fact_is_size(&fact) && fact.type != GRADUS_FACT_LINE && gr_fact_group(&fact) == 0)
            put_fact(j, fact.name, &fact);
}

void gr_model_put_info(gr_json_writer *j, const char *path, const gradus_model *model,
                       const gradus_model_info *f)
{
    gr_json_put_text(j, "file", path);
    gr_json_put_text(j, "method", f->method);
    gr_json_put_flag(j, "finished", f->finished);
    gr_json_put_flag(j, "distilled", f->distilled);
    gr_json_put_count(j, "features", f->features);
    gr_json_put_count(j, "outputs", f->outputs);
    put_size(j, model, f->rounds);
    gr_json_put_count(j, "rounds_done", f->rounds_done);
    gr_json_put_count(j, "best_round", f->best_round);
    put_combination(j, model, f);
    gr_json_put_text(j, "calibration", f->calibration);
    gr_json_put_text(j, "scoring", f->scoring);
    gr_json_put_flag(j, "probabilities", f->probabilities);
    gr_json_open(j, "grades", '[');
    for (size_t k = 0; k < f->grades; k++)
        gr_json_put_label(j, NULL, f->grade_values[k]);
    gr_json_close(j, ']');
    gr_json_put_count(j, "train_rows", f->train_rows);
    gr_json_put_count(j, "train_queries", f->train_queries);
    gr_json_put_text(j, "metric", f->metric);
    gr_json_put_text(j, "convention", f->convention);
    gr_json_put_flag(j, "lower_is_better", f->lower_is_better);
}

void gr_model_put_groups(gr_json_writer *j, const gradus_model *model)
{
    char group[64] = "";
    size_t open = 0;
    gradus_model_fact fact;

    for (size_t i = 0; gradus_model_fact_at(model, i, &fact); i++) {
        const size_t length = gr_fact_group(&fact);

        if (length != open || memcmp(fact.name, group, length) != 0) {
            if (open)
                gr_json_close(j, '}');
            open = length < sizeof group ? length : sizeof group - 1;
            memcpy(group, fact.name, open);
            group[open] = '\0';
            if (open)
                gr_json_open(j, group, '{');
        }
        if (length)
            put_fact(j, fact.name + length + 1, &fact);
    }
    if (open)
        gr_json_close(j, '}');
}

void gr_model_put_calibrations(gr_json_writer *j, const gradus_model *model)
{
    gradus_calibration_parameter p;

    gr_json_open(j, "calibrations", '[');
    for (size_t c = 0; gradus_model_calibration_at(model, c, 0, &p); c++) {
        gr_json_open(j, NULL, '{');
        gr_json_put_text(j, "method", p.method);
        gr_json_open(j, "parameters", '[');
        for (size_t i = 0; gradus_model_calibration_at(model, c, i, &p); i++) {
            gr_json_open(j, NULL, '{');
            gr_json_put_text(j, "name", p.name);
            gr_json_put_count(j, "output", p.output);
            gr_json_put_number(j, "value", p.value);
            gr_json_close(j, '}');
        }
        gr_json_close(j, ']');
        gr_json_close(j, '}');
    }
    gr_json_close(j, ']');
}

gradus_status gr_model_put_members(gr_json_writer *j, const gradus_model *model, size_t members,
                                   gradus_error *err)
{
    gradus_status status = GRADUS_OK;

    gr_json_open(j, "members", '[');
    for (size_t m = 0; m < members && status == GRADUS_OK; m++) {
        gradus_error fault = { GRADUS_NO_MEMORY, "" };
        gradus_model_info info;
        double weight;
        gradus_model *member = gradus_model_member(model, m, &weight, &fault);

        if (!member)
            return gr_fail(err, fault.status, "%s", fault.message);
        gradus_model_describe(member, &info);
        gr_json_open(j, NULL, '{');
        gr_json_put_text(j, "method", info.method);
        gr_json_put_number(j, "weight", weight);
        put_size(j, member, info.rounds);
        gr_json_put_text(j, "scoring", info.scoring);
        gr_json_put_text(j, "calibration", info.calibration);
        gr_model_put_calibrations(j, member);
        gr_json_put_text(j, "combination", info.combination);
        status = gr_model_put_members(j, member, info.members, err);
        gr_json_close(j, '}');
        gradus_model_free(member);
    }
    gr_json_close(j, ']');
    return status;
}
