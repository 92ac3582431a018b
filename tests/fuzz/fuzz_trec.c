/* SPDX-License-Identifier: Apache-2.0 */
/* TREC judgements and runs: every entry read is found again by its ids. */
#include "fuzz_target.h"

#include "data/trec.h"

static void check_entries(const gr_trec *trec)
{
    const gr_names topics = gr_name_list_names(&trec->topics.list);

    must(trec->count > 0 && trec->starts[topics.count] == trec->count, "topics hold all entries");
    for (size_t t = 0; t < topics.count; t++) {
        must(gr_trec_find_topic(trec, gr_name_at(&topics, t)) == t, "a topic is found");
        for (size_t i = (size_t)trec->starts[t]; i < trec->starts[t + 1]; i++)
            must(gr_trec_find(trec, t, gr_trec_document(trec, i)) == i, "a document is found");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    for (gr_trec_kind kind = GR_TREC_QRELS; kind <= GR_TREC_RUN; kind++) {
        gradus_error err = { GRADUS_OK, "" };
        gr_lines lines = { .source = gr_source_from_memory(bytes, size, "input", &err) };
        gr_trec trec = { .count = 0 };
        gradus_status status = err.status;

        if (lines.source)
            status = gr_trec_read_lines(&lines, kind, &trec, &err);
        must_explain(!lines.source || status != GRADUS_OK, &err);
        if (lines.source && status == GRADUS_OK)
            check_entries(&trec);
        gr_trec_free(&trec);
        gr_lines_free(&lines);
        gr_source_close(lines.source);
    }
    return 0;
}
