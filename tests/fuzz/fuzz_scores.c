/* SPDX-License-Identifier: Apache-2.0 */
/* Score files in both formats, for data with non-contiguous queries: accepted scores are finite. */
#include "fuzz_target.h"
#include "built_data.h"

#include "data/scores.h"

#include <math.h>

static const made_row rows[] = {
    { "b", "b1", { 0 } },
    { "a", "a1", { 0 } },
    { "b", "b2", { 0 } },
    { "a", "", { 0 } },
};

enum { ROWS = sizeof rows / sizeof *rows };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_dataset *data = make_data(rows, ROWS, &err);
    gr_lines lines = { .source = gr_source_from_memory(bytes, size, "input", &err) };
    double scores[ROWS];
    bool failed = !data || !lines.source;

    failed = failed || gr_scores_read(&lines, data, NULL, scores, &err) != GRADUS_OK;
    must_explain(failed, &err);
    for (size_t r = 0; r < ROWS && !failed; r++)
        must(isfinite(scores[r]), "scores are finite");
    gr_lines_free(&lines);
    gr_source_close(lines.source);
    gradus_dataset_free(data);
    return 0;
}
