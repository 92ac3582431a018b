/* SPDX-License-Identifier: Apache-2.0 */
/* gradus convert: reads data in one format and writes them in another. */
#include "common.h"

#include <string.h>

static int write_data(const arguments *given, const gradus_dataset *data, const char *path)
{
    gradus_error err;

    if (gradus_dataset_write(given->context, data, path, options_of(given, "write"), &err) !=
        GRADUS_OK)
        return fail(&err);
    return report_file(given, path, data);
}

static int transform_and_write(const arguments *given, const gradus_dataset *data, const char *path)
{
    gradus_options *options = options_of(given, "transform");
    gradus_error err;

    if (strcmp(gradus_options_value(options, "transform"), "none") == 0)
        return write_data(given, data, path);
    gradus_dataset *changed = gradus_dataset_transform(given->context, data, options, &err);
    const int status = changed ? write_data(given, changed, path) : fail(&err);

    gradus_dataset_free(changed);
    return status;
}

static int convert_run(arguments *given)
{
    int status = 0;

    if (given->count != 2)
        return fail_usage("gradus convert needs two files: gradus convert FROM TO");
    gradus_dataset *data = read_data(given, given->words[0], &status);

    if (data)
        status = transform_and_write(given, data, given->words[1]);
    gradus_dataset_free(data);
    return status;
}

static const example convert_examples[] = {
    { "gradus convert train.txt.gz train.gradus", "a binary file, which is read much faster" },
    { "gradus convert train.gradus train.csv", "back to text, without loss" },
    { "gradus convert train.txt scaled.txt --transform minmax", "scale the features to [0,1]" },
    { NULL, NULL },
};

const command command_convert = {
    .name = "convert",
    .summary = "convert data between text, CSV and binary; scale features",
    .usage = "gradus convert FROM TO [options]",
    .description =
        "Reads FROM (LETOR/SVMlight text, CSV, TSV or binary; gzip and zstd are detected by "
        "content; '-' is standard input) and writes TO in the format of its extension: .csv, "
        ".tsv, .gradus (binary), otherwise text; a final .gz or .zst compresses it. Numbers are "
        "written without loss: they read back exactly.",
    .operations = { "read", "transform", "write" },
    .output_word = 2,
    .examples = convert_examples,
    .run = convert_run,
};
