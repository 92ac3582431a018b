/* SPDX-License-Identifier: Apache-2.0 */
/* gradus export: writes a model in the format of another tool, and a file to check it by. */
#include "common.h"

#include <string.h>

/* The name of the parity file; "": none. */
static void parity_name(const arguments *given, const char *path, text *name)
{
    if (argument(given, "no-parity") || strcmp(path, "-") == 0)
        return;
    text_add(name, path);
    text_add(name, ".parity.csv");
}

static int export_model(const arguments *given, const gradus_model *model, const char *path,
                        const char *parity)
{
    gradus_error err;
    int status = *parity ? check_output(given, "-o", parity) : 0;

    if (status == 0 && gradus_export_write(model, options_of(given, "export"), path,
                                           *parity ? parity : NULL, &err) != GRADUS_OK)
        status = fail(&err);
    return status;
}

static int export_run(arguments *given)
{
    const char *path = argument(given, "output");
    gradus_model *read = NULL, *model;
    text parity = { NULL, 0, 0 };
    int status = 0;

    if (given->count != 1 || !path)
        return fail_usage("gradus export needs a model and an output file: gradus export MODEL "
                          "--format FORMAT -o FILE");
    model = take_model(given, given->words[0], &read, &status);
    if (model) {
        parity_name(given, path, &parity);
        status = export_model(given, model, path, text_string(&parity));
    }
    text_free(&parity);
    gradus_model_free(model);
    gradus_model_free(read);
    return status;
}

static const option export_options[] = {
    { "output", 'o', "FILE", "output file; '-': standard output", GRADUS_PATH_WRITTEN },
    { "no-parity", 0, NULL, "do not write FILE.parity.csv" },
    { NULL, 0, NULL, NULL },
};

static const example export_examples[] = {
    { "gradus export web.model --format json -o web.json", "the whole model, readable" },
    { NULL, NULL },
};

const command command_export = {
    .name = "export",
    .summary = "write a model in the format of another tool",
    .usage = "gradus export MODEL [--format FORMAT] -o FILE [--no-parity] [options]",
    .description = "Writes MODEL in a format that other tools read.",
    .options = export_options,
    .operations = { "export", "score" },
    .examples = export_examples,
    .run = export_run,
};
