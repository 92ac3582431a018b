/* SPDX-License-Identifier: Apache-2.0 */
/* Models as JavaScript in a report: the page scores documents whose values the reader changes. */
#include "experiments/report/report_data.h"

#include <stdio.h>
#include <stdlib.h>

static gradus_status export_model(const gradus_model *model, gr_report_program *to,
                                  gradus_error *err)
{
    gradus_options *options = gradus_options_new("export", err);
    gradus_status status = options ? GRADUS_OK : GRADUS_NO_MEMORY;

    if (status == GRADUS_OK)
        status = gradus_options_set(options, "format", "javascript", err);
    if (status == GRADUS_OK)
        status = gradus_options_set(options, "name", to->name, err);
    if (status == GRADUS_OK)
        status = gradus_export(model, options, &to->text, &to->size, err);
    gradus_options_free(options);
    return status;
}

const gr_report_program *gr_report_program_of(const gr_report *r, size_t system, bool *failed)
{
    gr_report_program *p = &r->programs[system];
    gradus_error err = { GRADUS_OK, "" };

    if (p->name[0])
        return p;
    snprintf(p->name, sizeof p->name, "gradus_model_%zu", system);
    if (export_model(r->input->systems[system].model, p, &err) != GRADUS_OK) {
        *failed = *failed || err.status == GRADUS_NO_MEMORY;
        snprintf(p->missing, sizeof p->missing, "%s", err.message);
    } else if (p->size > r->max_program) {
        snprintf(p->missing, sizeof p->missing,
                 "the model is too large for the page (%zu KiB as JavaScript, at most %zu)",
                 (p->size + 1023) / 1024, r->max_program / 1024);
        free(p->text);
        p->text = NULL;
    }
    return p;
}

gradus_status gr_report_write_programs(gradus_output *page, const gr_report *r, gradus_error *err)
{
    gradus_status status = GRADUS_OK;

    for (size_t i = 0; status == GRADUS_OK && i < r->input->system_count; i++)
        if (r->programs[i].text)
            status = gradus_output_write(page, r->programs[i].text, r->programs[i].size, err);
    return status;
}

void gr_report_free_programs(const gr_report *r)
{
    for (size_t i = 0; i < GRADUS_REPORT_SYSTEMS; i++)
        free(r->programs[i].text);
}
