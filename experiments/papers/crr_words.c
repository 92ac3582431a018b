/* SPDX-License-Identifier: Apache-2.0 */
/* Generated texts of CRR's experiments, where 20 newsgroups are missing: words of a language and of the
 * text's topic. */
#include "base/math.h"
#include "base/rng.h"
#include "experiments/papers/paper_crr.h"

#include <math.h>
#include <stdlib.h>

enum { VOCABULARY = 20000, WORDS = 80 };

/* Zipf-Mandelbrot popularity: word k of `count` with probability about proportional to 1 / (k +
 * flat), so that the first `flat` are about equally likely. */
typedef struct zipf {
    uint32_t count;
    double flat, log_whole; /* log(1 + count / flat) */
} zipf;

static zipf zipf_of(uint32_t count, double flat)
{
    return (zipf){ count, flat, gr_log(1.0 + (double)count / flat) };
}

static uint32_t draw_zipf(gr_rng *rng, const zipf *law)
{
    const double uniform = ((double)gr_rng_word(rng) + 0.5) * 0x1p-32;
    const double k = law->flat * (gr_exp(uniform * law->log_whole) - 1.0);

    return k < (double)law->count ? (uint32_t)k : law->count - 1;
}

/* Words of a text follow Zipf's law: 70% from the language, 30% from its topic. */
static size_t draw_text(gr_rng *rng, const zipf *law, size_t group, uint32_t *words)
{
    uint8_t seen[VOCABULARY / 8] = { 0 };
    size_t count = 0;

    for (size_t i = 0; i < WORDS; i++) {
        uint32_t word = draw_zipf(rng, law);

        if (gr_rng_uniform(rng) < 0.3)
            word = (uint32_t)((word * 7919u + group * 997u + 500u) % VOCABULARY);
        seen[word / 8] |= (uint8_t)(1u << word % 8);
    }
    for (uint32_t word = 0; word < VOCABULARY; word++)
        if (!seen[word / 8])
            word |= 7u;
        else if ((unsigned)seen[word / 8] >> word % 8 & 1u)
            words[count++] = word;
    return count;
}

gradus_dataset *gr_crr_make_texts(const gr_run *run, const char *purpose, size_t count,
                                  gradus_error *err)
{
    uint64_t *starts = gr_new_array(count + 1, sizeof *starts);
    uint32_t *columns = gr_new_array(count, WORDS * sizeof *columns);
    float *entries = gr_new_array(count, WORDS * sizeof *entries);
    float *labels = gr_new_array(count, sizeof *labels);
    const bool all = starts && columns && entries && labels;
    const zipf law = zipf_of(VOCABULARY, 5.0);

    for (size_t r = 0; all && r < count; r++) {
        gr_rng rng = gr_rng_for(run->seed, purpose, r);
        const size_t words = draw_text(&rng, &law, r % GR_CRR_GROUPS, columns + starts[r]);

        for (size_t i = 0; i < words; i++)
            entries[starts[r] + i] = (float)(1.0 / sqrt((double)words));
        starts[r + 1] = starts[r] + words;
        labels[r] = (float)(r % GR_CRR_GROUPS + 1);
    }
    const gradus_arrays arrays = { .rows = count,
                                   .features = VOCABULARY,
                                   .row_starts = starts,
                                   .columns = columns,
                                   .entries = entries,
                                   .labels = labels };
    gradus_dataset *made = all ? gr_copy_arrays(&arrays, err) : NULL;

    if (!all)
        gr_fail_memory(err, "texts");
    free(starts);
    free(columns);
    free(entries);
    free(labels);
    return made;
}
