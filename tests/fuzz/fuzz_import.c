/* SPDX-License-Identifier: Apache-2.0 */
/* Models of other tools. An accepted model scores rows, the same in both implementations of trees,
 * and is written and read again with the same scores. */
#include "fuzz_target.h"

#include "exchange/import.h"
#include "model/forest_node.h"
#include "model/model_open.h"
#include "model/model_write.h"
#include "model/predict.h"

#include <math.h>

enum { MAX_FEATURES = 1 << 12, ROWS = 3 };

static void score_rows(const gradus_model *model, double scores[ROWS])
{
    const size_t features = model->features;
    const gr_forest *forest = gr_model_forest(model);
    float *rows = calloc(ROWS * features + 1, sizeof *rows);
    double *raw = calloc(model->scorer.outputs, sizeof *raw);
    gradus_error err = { GRADUS_OK, "" };

    must(rows && raw, "rows fit into memory");
    for (size_t f = 0; f < features; f++) {
        rows[features + f] = NAN;
        rows[2 * features + f] = (float)f - 1.5f;
    }
    if (gr_model_run_rows(model, rows, ROWS, features, scores, NULL, &err) != GRADUS_OK)
        must_explain(true, &err);
    else
        for (size_t r = 0; forest && r < ROWS; r++) {
            gr_forest_row(forest, rows + r * features, SIZE_MAX, raw);
            must(scores[r] == gr_scorer_score(&model->scorer, raw, 1), "scores are the same");
        }
    free(rows);
    free(raw);
}

static void write_and_read(const gradus_model *model, const double *scores)
{
    char path[] = "/tmp/fuzz_import_XXXXXX";
    const int descriptor = mkstemp(path);
    gradus_error err = { GRADUS_OK, "" };
    double again[ROWS] = { 0.0 };
    gradus_model *back;

    must(descriptor >= 0, "a temporary file can be made");
    close(descriptor);
    must(gr_model_write(model, path, &err) == GRADUS_OK, "an imported model can be written");
    back = gr_model_read(path, &err);
    must(back != NULL, "a written model can be read");
    score_rows(back, again);
    must(memcmp(scores, again, sizeof again) == 0, "a written model has the same scores");
    gr_model_free(back);
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *model = gr_model_import_bytes((const char *)bytes, size, "input", &err);
    double scores[ROWS] = { 0.0 };

    must_explain(!model, &err);
    if (model && model->features <= MAX_FEATURES) {
        score_rows(model, scores);
        write_and_read(model, scores);
    }
    gr_model_free(model);
    return 0;
}
