/* SPDX-License-Identifier: Apache-2.0 */
/* Journals of tuning: an accepted journal takes another result and can be read again with it. */
#include "fuzz_file.h"

#include "experiments/journal.h"

#include <math.h>
#include <string.h>

static const char new_key[] = "a key of the fuzz target | fold 1";

/* False if the journal already has the key. */
static bool add_result(gr_journal *journal)
{
    gr_json_writer value = { 0 };
    gradus_error err = { GRADUS_OK, "" };
    const double numbers[] = { 0.5, -1.25 };
    gradus_status status;

    if (gr_journal_find(journal, new_key))
        return false;
    gr_json_open(&value, NULL, '{');
    gr_json_put_numbers(&value, "valid", numbers, 2);
    gr_json_close(&value, '}');
    status = gr_journal_add(journal, new_key, &value, &err);
    must_explain(status != GRADUS_OK, &err);
    must(status == GRADUS_OK, "a journal takes results");
    gr_json_writer_free(&value);
    return true;
}

static void check_result(gr_journal *journal)
{
    const gr_json *value = gr_journal_find(journal, new_key);
    size_t count = 0;
    double *numbers = gr_json_numbers(gr_json_find(value, "valid"), &count);

    must(numbers && count == 2 && numbers[1] == -1.25, "a result is kept");
    must(!isnan(gr_journal_largest(journal, "seconds")), "the largest is a number");
    free(numbers);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    gradus_error err = { GRADUS_OK, "" };
    fuzz_file file = fuzz_file_new(bytes, size);
    gr_journal *journal = gr_journal_open(file.path, "tune", "fuzz", NULL, &err);

    must_explain(!journal, &err);
    if (journal && add_result(journal)) {
        check_result(journal);
        gr_journal_close(journal);
        journal = gr_journal_open(file.path, "tune", "fuzz", NULL, &err);
        must(journal != NULL, "a journal can be opened again");
        check_result(journal);
    }
    gr_journal_close(journal);
    fuzz_file_close(&file);
    return 0;
}
