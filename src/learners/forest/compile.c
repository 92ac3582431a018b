#include "learners/forest/forest.h"

#include <stdlib.h>

struct gr_compiled {
    const gr_forest *forest;
    size_t rounds;
};

gr_compiled *gr_compile(const gr_forest *forest, size_t rounds, gradus_error *err)
{
    const size_t all = gr_forest_rounds(forest);
    gr_compiled *compiled = calloc(1, sizeof *compiled);

    if (!compiled) {
        gr_fail_memory(err, "trees");
        return NULL;
    }
    compiled->forest = forest;
    compiled->rounds = rounds < all ? rounds : all;
    return compiled;
}

void gr_compiled_free(gr_compiled *compiled)
{
    free(compiled);
}

size_t gr_compiled_scratch(const gr_compiled *compiled)
{
    return compiled->forest->outputs * sizeof(double);
}

void gr_compiled_run(const gr_compiled *compiled, const float *values, size_t rows, size_t stride,
                     double *raw, size_t raw_stride, void *scratch)
{
    double *outputs = scratch;

    for (size_t r = 0; r < rows; r++) {
        gr_forest_row(compiled->forest, values + r * stride, compiled->rounds, outputs);
        for (size_t k = 0; k < compiled->forest->outputs; k++)
            raw[k * raw_stride + r] = outputs[k];
    }
}
