#include "shared.h"

#include <stdlib.h>

static int score_run(arguments *given)
{
    const char *path = argument(given, "output");
    gradus_error err;
    int status = 0;

    if (given->count != 2)
        return fail_usage("gradus score needs a method and data: gradus score METHOD DATA");
    gradus_dataset *data = read_data(given, given->words[1], &status);
    double *scores = data ? read_scores(given, data, given->words[0], &status) : NULL;

    if (scores && gradus_scores_write(data, scores, path ? path : "-", argument(given, "run-name"),
                                      &err) != GRADUS_OK)
        status = fail(&err);
    if (scores && status == 0)
        status = report_file(given, path ? path : "-", data);
    free(scores);
    gradus_dataset_free(data);
    return status;
}

static const option score_options[] = {
    { "output", 'o', "FILE", "where to write; default: standard output" },
    { "run-name", 0, "NAME", "write a TREC run of that name, best first, instead of plain scores" },
    { NULL, 0, NULL, NULL },
};

static const example score_examples[] = {
    { "gradus score feature:25 test.txt -o test.scores", "rank by one feature" },
    { "gradus score random test.txt --seed 7 --run-name chance", "a random TREC run" },
    { NULL, NULL },
};

const command command_score = {
    .name = "score",
    .summary = "score the rows of a file",
    .usage = "gradus score METHOD DATA [-o FILE] [options]",
    .description =
        "Writes one score a row, in the order of DATA, higher is better. METHOD is a "
        "method that needs no training ('gradus help methods'), or a file of scores to be "
        "written in another form.",
    .options = score_options,
    .operations = { "read" },
    .examples = score_examples,
    .run = score_run,
};
