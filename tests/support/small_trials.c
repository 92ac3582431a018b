/* SPDX-License-Identifier: Apache-2.0 */
/* Small folds and cross-validations for the tests of experiments/. */
#include "small_trials.h"

gradus_dataset *queries_from(const char *first, const char *count)
{
    return make_synth(1, "mcrank",
                      PAIRS("queries", count, "documents", "8", "features", "5", "grade-fractions",
                            "60,30,10", "first-query", first));
}

gradus_status add_number(gr_journal *journal, const char *key, double number, gradus_error *err)
{
    gr_json_writer value = { 0 };

    gr_json_open(&value, NULL, '{');
    gr_json_put_number(&value, "x", number);
    gr_json_close(&value, '}');
    const gradus_status status = gr_journal_add(journal, key, &value, err);

    gr_json_writer_free(&value);
    return status;
}
