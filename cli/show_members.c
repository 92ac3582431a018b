/* SPDX-License-Identifier: Apache-2.0 */
/* The members of an ensemble and the calibrations of outputs. */
#include "cmd_show.h"
#include "print_table.h"

#include <stdlib.h>
#include <string.h>

enum { MEMBERS_SHOWN = 20, PARAMETERS_SHOWN = 24, WIDTH = 88 };

void add_calibrations(text *t, const gradus_model *model)
{
    gradus_calibration_parameter p;

    for (size_t c = 0; gradus_model_calibration_at(model, c, 0, &p); c++) {
        text line = { NULL, 0, 0 };
        size_t i = 0;

        text_format(&line, "by %s:", p.method);
        for (; gradus_model_calibration_at(model, c, i, &p); i++) {
            if (i >= PARAMETERS_SHOWN)
                continue;
            text_format(&line, "%s %s", i ? "," : "", p.name);
            if (p.output)
                text_format(&line, "%zu", p.output);
            text_format(&line, " %.6g", p.value);
        }
        if (i > PARAMETERS_SHOWN)
            text_format(&line, " ... and %zu more; --json lists them", i - PARAMETERS_SHOWN);
        text_format(t, "%-*s", LABEL_WIDTH, "calibrated");
        text_wrap(t, text_string(&line), LABEL_WIDTH, WIDTH);
        text_add(t, "\n");
        text_free(&line);
    }
}

void add_combination(text *t, const shown *s)
{
    const size_t members = s->info.members;

    if (!members)
        return;
    text_format(t, "%-*sof %s %s: ", LABEL_WIDTH, "ensemble", with_commas(members),
                plural(members, "model", "models"));
    add_line(t, s->model, "ensemble");
    text_add(t, "\n");
}

/* One row per member; the members of an ensemble among them follow it, numbered "2.1". */
static bool add_rows(table *rows, const gradus_model *model, size_t members, const char *above,
                     size_t *left, gradus_error *err)
{
    for (size_t m = 0; m<members && * left> 0; m++) {
        text number = { NULL, 0, 0 }, size = { NULL, 0, 0 };
        gradus_model_info info;
        double weight;
        gradus_model *member = gradus_model_member(model, m, &weight, err);
        bool done = member != NULL;

        if (!member)
            return false;
        gradus_model_describe(member, &info);
        text_format(&number, "%s%zu", above, m + 1);
        add_model_size(&size, member);
        table_cell(rows, "%s %s", text_string(&number), info.method);
        table_cell(rows, "%.6g", weight);
        table_cell(rows, "%s", *info.calibration ? info.calibration : "-");
        table_cell(rows, "%s", size.length ? text_string(&size) : "-");
        --*left;
        if (info.members) {
            text_add(&number, ".");
            done = add_rows(rows, member, info.members, text_string(&number), left, err);
        }
        text_free(&number);
        text_free(&size);
        gradus_model_free(member);
        if (!done)
            return false;
    }
    return true;
}

bool add_members(text *t, const shown *s, gradus_error *err)
{
    size_t left = MEMBERS_SHOWN;
    bool done;
    table rows;

    if (!s->info.members)
        return true;
    table_begin(&rows, 4);
    table_cell(&rows, "member");
    table_cell(&rows, "weight");
    table_cell(&rows, "calibrated");
    table_cell(&rows, "size");
    done = add_rows(&rows, s->model, s->info.members, "", &left, err);
    text_add(t, "\n");
    table_end(&rows, t);
    if (left == 0 && done)
        text_add(t, "--json lists every member\n");
    return done;
}

static bool has_importance(const gradus_model *member)
{
    gradus_feature_use *uses = must_have(gradus_model_max_uses(member), sizeof *uses);
    size_t count = 0;
    double sum = 0.0;

    if (gradus_model_uses(member, uses, &count, NULL) != GRADUS_OK)
        count = 0;
    for (size_t i = 0; i < count; i++)
        sum += uses[i].gain;
    free(uses);
    return sum > 0.0;
}

/* The number of members without importance; an ensemble among them counts as one. */
size_t members_without_importance(const shown *s)
{
    size_t without = 0;

    for (size_t m = 0; m < s->info.members; m++) {
        gradus_model *member = gradus_model_member(s->model, m, NULL, NULL);

        without += !member || !has_importance(member);
        gradus_model_free(member);
    }
    return without;
}
