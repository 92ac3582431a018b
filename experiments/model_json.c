/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a model as JSON (see model_json.h). */
#include "experiments/model_json.h"

static void put_size(gr_json_writer *j, const gradus_model_facts *f)
{
    gr_json_put_count(j, "rounds", f->rounds);
    gr_json_put_count(j, "trees", f->trees);
    gr_json_put_count(j, "leaves", f->leaves);
    gr_json_put_count(j, "equations", f->equations);
    gr_json_put_count(j, "kernels", f->kernels);
    gr_json_put_count(j, "support_rows", f->support_rows);
    gr_json_put_count(j, "voters", f->voters);
    gr_json_put_count(j, "voter_splits", f->voter_splits);
    gr_json_put_count(j, "units", f->units);
    gr_json_put_count(j, "weights", f->weights);
}

void gr_model_put_facts(gr_json_writer *j, const char *path, const gradus_model_facts *f)
{
    gr_json_put_text(j, "file", path);
    gr_json_put_text(j, "method", f->method);
    gr_json_put_flag(j, "finished", f->finished);
    gr_json_put_count(j, "features", f->features);
    gr_json_put_count(j, "outputs", f->outputs);
    put_size(j, f);
    gr_json_put_count(j, "rounds_done", f->rounds_done);
    gr_json_put_count(j, "best_round", f->best_round);
    gr_json_put_text(j, "combination", f->combination);
    if (*f->combination && f->rank_constant > 0.0)
        gr_json_put_number(j, "rank_constant", f->rank_constant);
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

const char *gr_model_gain(const gradus_model_facts *f)
{
    return !f->members && (f->equations || f->net) ? "size" : "gain";
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
        gradus_model_facts facts;
        double weight;
        gradus_model *member = gradus_model_member(model, m, &weight, &fault);

        if (!member)
            return gr_fail(err, fault.status, "%s", fault.message);
        gradus_model_describe(member, &facts);
        gr_json_open(j, NULL, '{');
        gr_json_put_text(j, "method", facts.method);
        gr_json_put_number(j, "weight", weight);
        put_size(j, &facts);
        gr_json_put_text(j, "scoring", facts.scoring);
        gr_json_put_text(j, "calibration", facts.calibration);
        gr_model_put_calibrations(j, member);
        gr_json_put_text(j, "combination", facts.combination);
        status = gr_model_put_members(j, member, facts.members, err);
        gr_json_close(j, '}');
        gradus_model_free(member);
    }
    gr_json_close(j, ']');
    return status;
}
