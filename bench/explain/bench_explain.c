/* SPDX-License-Identifier: Apache-2.0 */
/* Explains the rows of a data file against the training mean: the first ROWS at once on THREADS
 * threads, TIMES times, through the public interface; then one by one on this thread with a prepared
 * forest. Prints microseconds of processor time per row, which other programs disturb less than wall
 * time: one line per batch; then, on the last line, the median and the 99th percentile of single
 * rows, and the time to prepare the forest. With OUT, writes the contributions of the batch as
 * doubles, row by row, one per feature of the model, then the base. */
#include "gradus.h"
#include "cpu_limit.h"

#include "explain/shap_path.h"
#include "model/forest_node.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SINGLE_ROWS = 1000, WARM = 20 };

/* Processor time of all threads, in microseconds. */
static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static int one_by_one(const gradus_model *model, const gradus_arrays *a, size_t rows)
{
    const gr_forest *forest = gr_model_forest(model);
    const double start = now();
    gr_shap_forest *shap = forest ? gr_shap_compile(forest, NULL) : NULL;
    const double prepared = now() - start;
    double taken[SINGLE_ROWS + WARM];
    size_t used;

    if (!shap || rows == 0) {
        gr_shap_free(shap);
        return 1;
    }
    rows = rows < SINGLE_ROWS ? rows : SINGLE_ROWS;
    gr_shap_features(shap, &used);
    double *out = malloc((forest->outputs * used + 1) * sizeof *out);
    void *scratch = aligned_alloc(64, gr_shap_scratch(shap) / 64 * 64 + 64);

    for (size_t r = 0; out && scratch && r < rows + WARM; r++) {
        const double began = now();

        gr_shap_run(shap, a->values + r % rows * a->stride, 1, a->stride, out, scratch);
        taken[r % rows] = now() - began; /* the first, cold ones are overwritten */
    }
    qsort(taken, rows, sizeof *taken, ascending);
    printf("%.1f %.1f %.1f\n", taken[rows / 2], taken[rows * 99 / 100], prepared);
    free(out);
    free(scratch);
    gr_shap_free(shap);
    return 0;
}

static int write_out(const gradus_explanation *explanation, size_t features, const char *path)
{
    double *row = calloc(features + 1, sizeof *row);
    FILE *file = fopen(path, "wb");
    gradus_contributions c;
    int status = !row || !file;

    for (size_t i = 0; !status && gradus_explanation_at(explanation, i, 0, &c); i++) {
        for (size_t k = 0; k < c.count; k++)
            row[c.features[k]] = c.contributions[k];
        row[features] = c.base;
        status = fwrite(row, sizeof *row, features + 1, file) != features + 1;
    }
    if (file && fclose(file) != 0)
        status = 1;
    free(row);
    return status;
}

int main(int count, char **words)
{
    limit_cpu_by_option(&count, &words);
    if (count < 6) {
        fprintf(stderr,
                "usage: bench_explain [--kernels LEVEL] MODEL DATA ROWS THREADS TIMES [OUT]\n");
        return 2;
    }
    gradus_error err = { GRADUS_OK, "" };
    gradus_context *context = gradus_context_new((size_t)atoi(words[4]), &err);
    gradus_model *model = gradus_model_read(words[1], &err);
    gradus_dataset *data = gradus_dataset_read(context, words[2], NULL, &err);
    size_t rows = (size_t)atoi(words[3]), *which = malloc((rows + 1) * sizeof *which);
    gradus_arrays a;
    int status = !model || !data || !which ||
                 gradus_dataset_arrays(context, data, &a, &err) != GRADUS_OK || !a.values;

    if (status) {
        fprintf(stderr, "%s\n", err.message[0] ? err.message : "the rows must be dense");
        free(which);
        return 1;
    }
    rows = rows < a.rows ? rows : a.rows;
    for (size_t r = 0; r < rows; r++)
        which[r] = r;
    for (int i = 0; i < atoi(words[5]) && !status; i++) {
        const double start = now();
        gradus_explanation *made = gradus_explain(context, model, data, which, rows, NULL, &err);

        if (made)
            printf("%.2f\n", (now() - start) / (double)rows);
        else
            fprintf(stderr, "%s\n", err.message);
        status = !made || (count > 6 && i == 0 && write_out(made, a.features, words[6]));
        gradus_explanation_free(made);
    }
    status = status || one_by_one(model, &a, rows);
    free(which);
    gradus_dataset_free(data);
    gradus_model_free(model);
    gradus_context_free(context);
    return status;
}
