/* SPDX-License-Identifier: Apache-2.0 */
/* Scorers, probabilities and costs for the tests of scoring rules. */
#include "class_scorer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void bench_start(bench *b, size_t levels)
{
    for (size_t l = 0; l < levels; l++) {
        b->grades[l] = (double)l;
        b->shares[l] = 2.0 * (double)(levels - l) / (double)(levels * (levels + 1));
    }
    b->scorer = (gr_scorer){ .meaning = GR_MEANS_CLASSES,
                             .rule = GR_SCORE_EXPECTED_GRADE,
                             .outputs = levels,
                             .levels = levels,
                             .level_labels = b->grades,
                             .shares = b->shares };
}

gr_score_choice choice_of(const gr_score_rule *rule)
{
    gr_score_choice choice = gr_score_as_trained;

    choice.rule = rule;
    return choice;
}

gr_scorer choose_noting(const bench *b, const gr_score_choice *choice,
                        const gradus_context *context)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_scorer made;

    if (gr_scorer_choose(&b->scorer, choice, context, &made, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
    return made;
}

gr_scorer choose(const bench *b, const gr_score_choice *choice)
{
    return choose_noting(b, choice, NULL);
}

double score_p(const gr_scorer *scorer, const double *p)
{
    double outputs[MAX_GRADES];

    for (size_t l = 0; l < scorer->levels; l++)
        outputs[l] = log(p[l]);
    return gr_scorer_score(scorer, outputs, 1);
}

void draw_p(gr_rng *rng, size_t levels, double *p)
{
    const double sharpness = 4.0 * gr_rng_uniform(rng);
    double sum = 0.0;

    for (size_t l = 0; l < levels; l++)
        sum += p[l] = exp(sharpness * gr_rng_normal(rng));
    for (size_t l = 0; l < levels; l++)
        p[l] /= sum;
}

void write_matrix(char path[], const double *costs, size_t levels)
{
    const int file = mkstemp(path);

    assert_true(file >= 0);
    for (size_t j = 0; j < levels; j++)
        for (size_t i = 0; i < levels; i++)
            assert_true(
                dprintf(file, "%.17g%s", costs[j * levels + i], i + 1 < levels ? " " : "\n") > 0);
    close(file);
}
