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

/* Refuses names that promise text or compression, which readers would not find. */
static int check_binned_name(const char *path)
{
    static const char *const others[] = { ".txt", ".csv", ".tsv", ".gz", ".zst" };

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const size_t length = strlen(others[i]);

        if (strlen(path) >= length && strcmp(path + strlen(path) - length, others[i]) == 0)
            return fail_usage("--binned writes a binary file, but '%s' ends in %s; name it "
                              "train.bins or the like",
                              path, others[i]);
    }
    return -1;
}

/* Writes bins instead of values; the file can only be trained on. */
static int write_binned(const arguments *given)
{
    const char *from = given->words[0], *to = given->words[1];
    gradus_error err;
    const int status = check_binned_name(to);

    if (status >= 0)
        return status;
    if (strcmp(gradus_options_value(options_of(given, "transform"), "transform"), "none") != 0)
        return fail_usage("--binned stores bins of the values as they are: boosted trees, which "
                          "are trained on it, need no --transform");
    if (gradus_options_given(options_of(given, "write"), "output-format") ||
        gradus_options_given(options_of(given, "write"), "compress"))
        return fail_usage("--binned writes its own binary form, uncompressed: leave out "
                          "--output-format and --compress");
    if (strcmp(to, "-") == 0)
        return fail_usage("a binned file is mapped for training: name a file");
    if (gradus_bin_files(given->context, &from, 1, options_of(given, "read"),
                         options_of(given, "bin"), to, &err) != GRADUS_OK)
        return fail(&err);
    return report_file(given, to, NULL);
}

static int check_bin_options(const arguments *given)
{
    static const char *const names[] = { "binning", "bins", "bin-sample" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (gradus_options_given(options_of(given, "bin"), names[i]))
            return fail_usage("--%s is for --binned", names[i]);
    return -1;
}

static int convert_run(arguments *given)
{
    int status = 0;

    if (given->count != 2)
        return fail_usage("gradus convert needs two files: gradus convert FROM TO");
    if (argument(given, "binned"))
        return write_binned(given);
    if ((status = check_bin_options(given)) >= 0)
        return status;
    gradus_dataset *data = read_data(given, given->words[0], &status);

    if (data)
        status = transform_and_write(given, data, given->words[1]);
    gradus_dataset_free(data);
    return status;
}

static const option convert_options[] = {
    { "binned", 0, NULL,
      "write bins of the features instead of their values: train reads it with a quarter of the "
      "memory" },
    { NULL, 0, NULL, NULL },
};

static const example convert_examples[] = {
    { "gradus convert train.txt.gz train.gradus", "a binary file, which is read much faster" },
    { "gradus convert train.gradus train.csv", "back to text, without loss" },
    { "gradus convert train.txt scaled.txt --transform minmax", "scale the features to [0,1]" },
    { "gradus convert train.txt train.bins --binned --bins 255",
      "bins only: a quarter of the memory for training" },
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
        "written without loss: they read back exactly.\n\n"
        "With --binned, TO has bins of the features, one byte per value or two above 255 bins, "
        "instead of the values. 'gradus train' maps it into memory and trains boosted trees on it "
        "(the default of most methods), with the model that FROM gives with the same --binning, "
        "--bins, --bin-sample and --seed. 'gradus score' and 'eval' accept it with these models, but it "
        "cannot be validation data or one of several files: keep FROM.",
    .options = convert_options,
    .operations = { "read", "transform", "write", "bin" },
    .output_word = 2,
    .examples = convert_examples,
    .run = convert_run,
};
