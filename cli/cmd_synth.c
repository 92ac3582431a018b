/* SPDX-License-Identifier: Apache-2.0 */
/* gradus synth: generates synthetic data. */
#include "common.h"

static int synth_run(arguments *given)
{
    const char *path = argument(given, "output");
    gradus_error err;

    if (given->count > 1)
        return fail_usage("gradus synth takes one kind and options, not '%s'", given->words[1]);
    if (gradus_synth_write(given->context, given->options[1], path ? path : "-",
                           options_of(given, "write"), &err) != GRADUS_OK)
        return fail(&err);
    return report_file(given, path ? path : "-", NULL);
}

static const option synth_options[] = {
    { "output", 'o', "FILE", "output file (default: standard output)", GRADUS_PATH_WRITTEN },
    { NULL, 0, NULL, NULL },
};

static const example synth_examples[] = {
    { "gradus synth web --queries 1000 -o web.txt", "about 120,000 rows that resemble web search" },
    { "gradus synth mcrank --queries 10000 --first-query 15001 -o test.gradus",
      "test queries of the McRank paper's synthetic data, as a binary file" },
    { NULL, NULL },
};

const command command_synth = {
    .name = "synth",
    .summary = "generate a synthetic data set",
    .usage = "gradus synth KIND [-o FILE] [options]",
    .description =
        "Generates data to experiment with. The same kind, options and seed give the same bytes "
        "on any machine and with any number of threads; rows are written as they are generated, "
        "so that sets can be larger than memory. 'gradus help KIND' describes how a kind is "
        "defined.",
    .options = synth_options,
    .operations = { "write" },
    .kinds = "synths",
    .examples = synth_examples,
    .run = synth_run,
};
