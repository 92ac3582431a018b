/* SPDX-License-Identifier: Apache-2.0 */
/* gradus synth: generates synthetic data. */
#include "common.h"

#include <string.h>

enum { MAX_PARTS = 100000 };

static const char part_mark[] = "{part}"; /* in the name of the output, for its number */

/* Writes queries [first, end) of the set to the file of a part. */
static int write_part(const arguments *given, gradus_options *set, uint64_t part, uint64_t first,
                      uint64_t end)
{
    const char *path = argument(given, "output"), *mark = strstr(path, part_mark);
    text name = { NULL, 0, 0 };
    gradus_error err;
    int status = 0;

    text_add_bytes(&name, path, (size_t)(mark - path));
    text_format(&name, "%llu%s", (unsigned long long)part, mark + sizeof part_mark - 1);
    if (gradus_options_set_count(set, "first-query", first, &err) != GRADUS_OK ||
        gradus_options_set_count(set, "queries", end - first, &err) != GRADUS_OK ||
        gradus_synth_write(given->context, set, text_string(&name), options_of(given, "write"),
                           &err) != GRADUS_OK)
        status = fail(&err);
    else
        status = report_file(given, text_string(&name), NULL);
    text_free(&name);
    return status;
}

/* A query depends on the options and its number only, so a part is a set of its queries. */
static int write_parts(const arguments *given, const char *word)
{
    const char *path = argument(given, "output");
    uint64_t parts, queries = 0, first = 0;
    gradus_error err;
    int status = 0;

    if (!parse_count(word, MAX_PARTS, &parts) || parts == 0)
        return fail_usage("--parts takes a whole number from 1 to %d, not '%s'", MAX_PARTS, word);
    if (!path || !strstr(path, part_mark))
        return fail_usage("--parts needs a name of the files with {part} where their numbers go, "
                          "such as -o 'web-{part}.txt'");
    gradus_options *set = gradus_options_copy(given->options[1], &err);

    if (!set)
        return fail(&err);
    gradus_options_get_count(set, "queries", &queries, NULL);
    gradus_options_get_count(set, "first-query", &first, NULL);
    if (queries < parts)
        status = fail_usage("%llu parts, but only %llu queries", (unsigned long long)parts,
                            (unsigned long long)queries);
    for (uint64_t i = 0; i < parts && status == 0; i++)
        status =
            write_part(given, set, i, first + queries / parts * i + queries % parts * i / parts,
                       first + queries / parts * (i + 1) + queries % parts * (i + 1) / parts);
    gradus_options_free(set);
    return status;
}

static int synth_run(arguments *given)
{
    const char *path = argument(given, "output"), *parts = argument(given, "parts");
    gradus_error err;

    if (given->count > 1)
        return fail_usage("gradus synth takes one kind and options, not '%s'", given->words[1]);
    if (parts)
        return write_parts(given, parts);
    if (gradus_synth_write(given->context, given->options[1], path ? path : "-",
                           options_of(given, "write"), &err) != GRADUS_OK)
        return fail(&err);
    return report_file(given, path ? path : "-", NULL);
}

static const option synth_options[] = {
    { "output", 'o', "FILE", "output file (default: standard output)", GRADUS_PATH_WRITTEN },
    { "parts", 0, "N",
      "write N files with consecutive queries; {part} in -o FILE is replaced by their numbers, from "
      "0" },
    { NULL, 0, NULL, NULL },
};

static const example synth_examples[] = {
    { "gradus synth web --queries 1000 -o web.txt", "about 120,000 rows that resemble web search" },
    { "gradus synth mcrank --queries 10000 --first-query 15001 -o test.gradus",
      "test queries of the McRank paper's synthetic data, as a binary file" },
    { "gradus synth web --queries 1000 --parts 4 -o 'web-{part}.txt'",
      "the same rows in web-0.txt to web-3.txt, for processes of a cluster" },
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
