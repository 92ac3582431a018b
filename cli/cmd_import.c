/* SPDX-License-Identifier: Apache-2.0 */
/* gradus import: converts a model of another tool to a model file. */
#include "cmd_show.h"
#include "common.h"

#include <string.h>

static int print_json(const arguments *given, const gradus_model *model, const char *path)
{
    const char *name, *value;
    gradus_model_info info;
    text t = { NULL, 0, 0 };
    json j = JSON_TO(&t);

    gradus_model_describe(model, &info);
    json_open(&j, NULL, '{');
    json_string(&j, "from", given->words[0]);
    json_string(&j, "file", path);
    json_string(&j, "method", info.method);
    for (size_t i = 0; gradus_model_option_at(model, i, &name, &value); i++)
        json_string(&j, name, value);
    json_count(&j, "trees", model_count(model, "trees"));
    json_count(&j, "leaves", model_count(model, "leaves"));
    json_count(&j, "equations", model_count(model, "equations"));
    json_count(&j, "features", info.features);
    json_count(&j, "outputs", info.outputs);
    json_close(&j, '}');
    text_add(&t, "\n");
    return print_text(&t);
}

static int print_report(const gradus_model *model, const char *path)
{
    const char *name, *value;
    gradus_model_info info;
    text t = { NULL, 0, 0 };

    gradus_model_describe(model, &info);
    text_format(&t, "%s\n", path);
    for (size_t i = 0; gradus_model_option_at(model, i, &name, &value); i++) {
        name = strcmp(name, "imported-from") == 0 ? "imported" : name;
        const size_t width = 13, used = text_columns(name);

        text_add_shown(&t, name);
        text_pad(&t, used + 1 < width ? width - used : 1);
        text_add_shown(&t, value);
        text_add(&t, "\n");
    }
    text_add(&t, "size         ");
    add_model_size(&t, model);
    text_format(&t, ", %s, ", counted(info.features, "feature", "features"));
    text_format(&t, "%s\n", counted(info.outputs, "output", "outputs"));
    text_add(&t, "\nnext         gradus show ");
    text_add_word(&t, path);
    text_add(&t, "\n             gradus eval test.txt ");
    text_add_word(&t, path);
    text_add(&t, "\n");
    return print_text(&t);
}

static int import_run(arguments *given)
{
    const char *path = argument(given, "output");
    gradus_model *model;
    gradus_error err;
    int status = 0;

    if (given->count != 1 || !path)
        return fail_usage("gradus import needs a file and a model to write: gradus import FILE -o "
                          "MODEL");
    model = gradus_import(given->words[0], &err);
    if (!model || gradus_model_write(model, path, &err) != GRADUS_OK)
        status = fail(&err);
    else if (strcmp(path, "-") != 0)
        status = given->json ? print_json(given, model, path) : print_report(model, path);
    gradus_model_free(model);
    return status;
}

static const option import_options[] = {
    { "output", 'o', "FILE", "file to write the model to", GRADUS_PATH_WRITTEN },
    { NULL, 0, NULL, NULL },
};

static const example import_examples[] = {
    { "gradus import xgboost.json -o web.model", "from XGBoost" },
    { "gradus import lightgbm.txt -o web.model", "from LightGBM" },
    { "gradus eval test.txt xgboost.json", "commands that read models import them, too" },
    { NULL, NULL },
};

const command command_import = {
    .name = "import",
    .summary = "convert a model of another tool",
    .usage = "gradus import FILE -o MODEL [--json]",
    .description =
        "Reads a model of another tool ('gradus help importers'), recognised by its content, and "
        "writes it as a model of gradus, which gives the same scores. It can be evaluated, "
        "compared, calibrated, combined and exported like a model that gradus trained, but "
        "training cannot continue from it. Every command that reads a model also reads these "
        "files directly; importing once is faster.\n\n"
        "What gradus models cannot represent exactly is refused, with the reason: categorical "
        "splits, DART, and linear models in leaves. So are files with cycles, missing nodes or "
        "inconsistent sizes; the message gives the position. A file has at most 4 GiB. "
        "docs/formats/imported-models.md describes what is read.\n\n"
        "With --json it prints what was read: the format, objective, trees, leaves, features and "
        "outputs.\n\n"
        "Exit status: 0; 1 if a file cannot be read or written, or is not a model; 2 for wrong "
        "options, and if the model cannot be represented.",
    .options = import_options,
    .examples = import_examples,
    .run = import_run,
};
