/* SPDX-License-Identifier: Apache-2.0 */
/* gradus export: writes a model in the format of another tool, and a parity file to check it by. */
#include "cmd_show.h"
#include "common.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct exporting {
    const arguments *given;
    const gradus_model *model;
    const char *path;
    text parity; /* name of the parity file; "": none */
    gradus_format format;
} exporting;

static bool to_stdout(const exporting *e)
{
    return strcmp(e->path, "-") == 0;
}

/* Beside a device or a pipe, such as /dev/null, there is no place for a second file. */
static bool is_special(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

static void name_parity(exporting *e)
{
    if (argument(e->given, "no-parity") || to_stdout(e) || is_special(e->path))
        return;
    text_add(&e->parity, e->path);
    text_add(&e->parity, ".parity.csv");
}

static const char *extension_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');

    return dot && (!slash || dot > slash) ? dot + 1 : "";
}

/* The format that the options or the extension chose. */
static void find_format(exporting *e)
{
    const char *name = gradus_options_value(options_of(e->given, "export"), "format");
    const bool by_extension = strcmp(name, "auto") == 0;

    for (size_t i = 0; gradus_format_at(i, &e->format); i++)
        if (strcmp(by_extension ? e->format.extension : e->format.name,
                   by_extension ? extension_of(e->path) : name) == 0)
            return;
}

static size_t size_of(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 ? (size_t)about.st_size : 0;
}

static int print_json(const exporting *e)
{
    gradus_model_info info;
    text t = { NULL, 0, 0 };
    json j = JSON_TO(&t);

    gradus_model_describe(e->model, &info);
    json_open(&j, NULL, '{');
    json_string(&j, "model", e->given->words[0]);
    json_string(&j, "format", e->format.name);
    json_string(&j, "file", e->path);
    json_count(&j, "bytes", size_of(e->path));
    json_count(&j, "trees", model_count(e->model, "trees"));
    json_count(&j, "leaves", model_count(e->model, "leaves"));
    json_count(&j, "features", info.features);
    if (e->parity.length) {
        json_open(&j, "parity", '{');
        json_string(&j, "file", text_string(&e->parity));
        json_count(&j, "rows", GRADUS_PARITY_ROWS);
        json_close(&j, '}');
    }
    json_close(&j, '}');
    text_add(&t, "\n");
    return print_text(&t);
}

/* Whether the parity file has a program that checks it: a format may lack one for some models. */
static bool has_program(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[256];
    bool found = false;

    while (file && !found && fgets(line, sizeof line, file) && line[0] == '#')
        found = strcmp(line, "# check:\n") == 0;
    if (file)
        fclose(file);
    return found;
}

static void add_parity(text *t, const char *path)
{
    text_format(t, "parity       %s\n             %d rows with their scores%s\n", path,
                GRADUS_PARITY_ROWS, has_program(path) ? ", and a program that compares them" : "");
}

static int print_report(const exporting *e)
{
    gradus_model_info info;
    text t = { NULL, 0, 0 };

    gradus_model_describe(e->model, &info);
    text_format(&t, "%s\nformat       %s, for %s\n", e->path, e->format.name, e->format.used_by);
    text_format(&t, "size         %s: ", counted(size_of(e->path), "byte", "bytes"));
    add_model_size(&t, e->model);
    text_format(&t, ", %s\n", counted(info.features, "feature", "features"));
    if (e->parity.length)
        add_parity(&t, text_string(&e->parity));
    return print_text(&t);
}

static int write_model(exporting *e)
{
    gradus_error err;
    int status;

    name_parity(e);
    status = e->parity.length
                 ? check_output(e->given, "the parity file of -o", text_string(&e->parity))
                 : 0;
    if (status != 0)
        return status;
    if (gradus_export_write(e->model, options_of(e->given, "export"), e->path,
                            e->parity.length ? text_string(&e->parity) : NULL, &err) != GRADUS_OK)
        return fail(&err);
    find_format(e);
    if (to_stdout(e))
        return 0;
    return e->given->json ? print_json(e) : print_report(e);
}

static int export_run(arguments *given)
{
    exporting e = { .given = given, .path = argument(given, "output") };
    gradus_model *read = NULL, *model;
    int status = 0;

    if (given->count != 1 || !e.path)
        return fail_usage("gradus export needs a model and an output file: gradus export MODEL "
                          "--format FORMAT -o FILE");
    model = take_model(given, given->words[0], &read, &status);
    e.model = model;
    if (model)
        status = write_model(&e);
    text_free(&e.parity);
    gradus_model_free(model);
    gradus_model_free(read);
    return status;
}

static const option export_options[] = {
    { "output", 'o', "FILE", "output file; '-': standard output, without a parity file",
      GRADUS_PATH_WRITTEN },
    { "no-parity", 0, NULL, "do not write the parity file FILE.parity.csv" },
    { NULL, 0, NULL, NULL },
};

static const example export_examples[] = {
    { "gradus export web.model -o web.onnx", "for ONNX Runtime" },
    { "gradus export web.model --format xgboost-json -o web.json", "for XGBoost" },
    { "gradus export web.model -o web.c --name rank_web", "a C file" },
    { "gradus export web.model --format json -o web.json", "the whole model, readable" },
    { "gradus export web.model --rounds 100 -o web.onnx", "the first 100 rounds" },
    { "gradus help formats", "the formats, and what they hold" },
    { NULL, NULL },
};

const command command_export = {
    .name = "export",
    .summary = "write a model in the format of another tool",
    .usage = "gradus export MODEL [--format FORMAT] -o FILE [--no-parity] [options]",
    .description =
        "Writes MODEL in a format that other tools read ('gradus help formats'). Without --format "
        "the extension of FILE chooses it, if only one format has that extension. A format that "
        "cannot hold the model exactly is refused, with the reason; nothing is approximated. The "
        "scoring options apply as in 'gradus score': --rounds exports a prefix of the model, "
        "--scoring another rule.\n\n"
        "FILE.parity.csv is written beside the output: 200 rows of feature values with the "
        "model's scores, and a short program, in its first lines, that loads FILE where it will "
        "run and compares (json: only for a single forest without a transform). The rows have typical values, values exactly at the thresholds of "
        "trees and one float below and above them, missing values, 0, -0 and huge values. "
        "docs/formats/exported-models.md describes the files.\n\n"
        "With --json it prints the format, the files, their sizes, and the sizes of the model.\n\n"
        "Exit status: 0; 1 if a file cannot be read or written; 2 for wrong options, and if the "
        "format cannot hold the model.",
    .options = export_options,
    .operations = { "export", "score" },
    .examples = export_examples,
    .run = export_run,
};
