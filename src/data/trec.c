/* SPDX-License-Identifier: Apache-2.0 */
/* Reads TREC judgements and runs, and finds documents in them. */
#include "data/trec.h"

#include "base/bisect.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QRELS_FIELDS = 4, RUN_FIELDS = 6, GRADE_DIGITS = 9 };

enum { STARTS, VALUES, LINES, PLACES, NAMES, INDEX, PARTS }; /* indices of gr_trec.owned */

/* State while reading: entries are appended to trec in file order and grouped at the end. */
typedef struct reading {
    gr_lines *lines;
    gr_trec_kind kind;
    gr_trec *trec;
    size_t topic;    /* topic of the last line */
    bool scattered;  /* the lines of some topic are not contiguous */
    gr_array topics; /* uint64_t: the topic of each entry */
    size_t names_used;
} reading;

typedef struct field {
    const char *at, *end;
} field;

static const char *const qrels_fields[QRELS_FIELDS] = { "a topic", "an iteration", "a document",
                                                        "a grade" };
static const char *const run_fields[RUN_FIELDS] = { "a topic", "Q0",      "a document",
                                                    "a rank",  "a score", "a run tag" };

static gradus_status split(const reading *from, field *fields, gradus_error *err)
{
    const char *const *wanted = from->kind == GR_TREC_RUN ? run_fields : qrels_fields;
    const size_t count = from->kind == GR_TREC_RUN ? RUN_FIELDS : QRELS_FIELDS;
    const char *at = from->lines->line, *end = from->lines->end;

    for (size_t i = 0; i < count; i++) {
        at = gr_skip_blanks(at, end);
        fields[i] = (field){ at, gr_skip_word(at, end) };
        if (fields[i].at == fields[i].end)
            return gr_lines_expected(from->lines, GRADUS_BAD_FORMAT, wanted[i], at, end, err);
        at = fields[i].end;
    }
    at = gr_skip_blanks(at, end);
    if (at != end)
        return gr_lines_expected(from->lines, GRADUS_BAD_FORMAT, "the end of the line", at, end,
                                 err);
    return GRADUS_OK;
}

static gradus_status read_grade(const reading *from, field word, double *grade, gradus_error *err)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): split() filled all fields */
    const bool is_signed = *word.at == '-' || *word.at == '+';
    const char *digits = word.at + is_signed;
    uint64_t size = 0;

    if (word.end - digits > GRADE_DIGITS || gr_parse_count(digits, word.end, &size) != word.end)
        return gr_lines_expected(from->lines, GRADUS_BAD_FORMAT,
                                 "a whole number of at most 9 digits", word.at, word.end, err);
    *grade = *word.at == '-' ? -(double)size : (double)size;
    return GRADUS_OK;
}

static gradus_status read_score(const reading *from, field word, double *score, gradus_error *err)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): split() filled all fields */
    if (gr_parse_double(word.at, word.end, score) != word.end)
        return gr_lines_expected(from->lines, GRADUS_BAD_FORMAT, "a number", word.at, word.end,
                                 err);
    if (!isfinite(*score))
        return gr_lines_expected(from->lines, GRADUS_BAD_NUMBER, "a finite number", word.at,
                                 word.end, err);
    return GRADUS_OK;
}

/* The number of the line's topic, which is usually that of the previous line. */
static size_t topic_of(reading *from, field word)
{
    const gr_names names = gr_name_list_names(&from->trec->topics.list);
    const size_t length = (size_t)(word.end - word.at);
    size_t topic;

    if (names.count > 0) {
        const char *last = gr_name_at(&names, from->topic);

        if (strncmp(last, word.at, length) == 0 && last[length] == '\0')
            return from->topic;
    }
    topic = gr_name_set_add(&from->trec->topics, word.at, length);
    from->scattered |= topic < names.count;
    from->topic = topic;
    return topic;
}

static bool make_room(reading *from, size_t name_length)
{
    const size_t entries = (from->trec->count + 1) * sizeof(uint64_t);
    gr_array *owned = from->trec->owned;

    return gr_array_reserve(&owned[NAMES], from->names_used + name_length + 1) &&
           gr_array_reserve(&owned[VALUES], entries) && gr_array_reserve(&owned[LINES], entries) &&
           gr_array_reserve(&owned[PLACES], entries) && gr_array_reserve(&from->topics, entries);
}

static gradus_status keep(reading *from, field document, size_t topic, double value,
                          gradus_error *err)
{
    const size_t length = (size_t)(document.end - document.at), i = from->trec->count;
    const gr_array *owned = from->trec->owned;

    if (topic == SIZE_MAX || !make_room(from, length))
        return gr_fail_memory(err, "a TREC file");
    char *name = (char *)owned[NAMES].at + from->names_used;

    memcpy(name, document.at, length);
    name[length] = '\0';
    ((double *)owned[VALUES].at)[i] = value;
    ((uint64_t *)owned[LINES].at)[i] = from->lines->number;
    ((uint64_t *)owned[PLACES].at)[i] = from->names_used;
    ((uint64_t *)from->topics.at)[i] = topic;
    from->names_used += length + 1;
    from->trec->count++;
    return GRADUS_OK;
}

static gradus_status read_lines(reading *from, gradus_error *err)
{
    field fields[RUN_FIELDS];
    bool more;

    for (;;) {
        double value = 0.0;

        GR_TRY(gr_lines_next_content(from->lines, &more, err));
        if (!more)
            break;
        GR_TRY(split(from, fields, err));
        GR_TRY(from->kind == GR_TREC_RUN ? read_score(from, fields[4], &value, err)
                                         : read_grade(from, fields[3], &value, err));
        GR_TRY(keep(from, fields[2], topic_of(from, fields[0]), value, err));
    }
    if (from->trec->count == 0)
        return gr_fail(err, GRADUS_BAD_FORMAT, "%.300s: no %s", gr_source_name(from->lines->source),
                       from->kind == GR_TREC_RUN ? "run entries" : "relevance judgements");
    return GRADUS_OK;
}

/* Computes the range of entries of each topic. */
static gradus_status find_starts(const reading *from, gr_trec *trec, gradus_error *err)
{
    const size_t topics = trec->topics.list.count;
    const uint64_t *topic_of = from->topics.at;
    uint64_t *starts;

    if (!gr_array_reserve(&trec->owned[STARTS], (topics + 1) * sizeof *starts))
        return gr_fail_memory(err, "a TREC file");
    starts = trec->owned[STARTS].at;
    memset(starts, 0, (topics + 1) * sizeof *starts);
    for (size_t i = 0; i < trec->count; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): one topic per entry */
        starts[topic_of[i] + 1]++;
    for (size_t t = 0; t < topics; t++)
        starts[t + 1] += starts[t];
    return GRADUS_OK;
}

/* Sorts the 8-byte items of an array by topic, stably. next: scratch, one per topic. */
static bool regroup(const reading *from, gr_array *items, uint64_t *next)
{
    const gr_trec *trec = from->trec;
    const uint64_t *topic_of = from->topics.at, *old = items->at;
    gr_array grouped = { NULL, 0, false };

    if (!gr_array_reserve(&grouped, trec->count * sizeof *old))
        return false;
    memcpy(next, trec->owned[STARTS].at, trec->topics.list.count * sizeof *next);
    for (size_t i = 0; i < trec->count; i++)
        memcpy((uint64_t *)grouped.at + next[topic_of[i]]++, old + i, sizeof *old);
    gr_array_free(items);
    *items = grouped;
    return true;
}

static gradus_status group(const reading *from, gr_trec *trec, gradus_error *err)
{
    gr_array *owned = trec->owned;

    GR_TRY(find_starts(from, trec, err));
    if (from->scattered) {
        uint64_t *next = gr_new_array(trec->topics.list.count, sizeof *next);
        const bool done = next && regroup(from, &owned[VALUES], next) &&
                          regroup(from, &owned[LINES], next) && regroup(from, &owned[PLACES], next);

        free(next);
        if (!done)
            return gr_fail_memory(err, "a TREC file");
    }
    trec->starts = owned[STARTS].at;
    trec->values = owned[VALUES].at;
    trec->lines = owned[LINES].at;
    trec->places = owned[PLACES].at;
    trec->names = owned[NAMES].at;
    return GRADUS_OK;
}

static gradus_status twice(const reading *from, const gr_trec *trec, size_t topic, size_t first,
                           size_t second, gradus_error *err)
{
    const gr_names topics = gr_name_list_names(&trec->topics.list);
    const char *document = gr_trec_document(trec, first), *name = gr_name_at(&topics, topic);
    char shown_document[GR_SHOWN], shown_topic[GR_SHOWN];

    gr_show_text(shown_document, document, document + strlen(document));
    gr_show_text(shown_topic, name, name + strlen(name));
    return gr_fail(err, GRADUS_BAD_FORMAT,
                   "%.220s:%zu: document '%s' of topic '%s' is already in line %zu",
                   gr_source_name(from->lines->source), (size_t)trec->lines[second], shown_document,
                   shown_topic, (size_t)trec->lines[first]);
}

/* Equal documents have equal hashes, so they are adjacent in the index. */
static gradus_status check_topic(const reading *from, const gr_trec *trec, size_t topic,
                                 gradus_error *err)
{
    const size_t start = (size_t)trec->starts[topic], end = (size_t)trec->starts[topic + 1];
    const gr_keyed *index = trec->index;

    for (size_t i = start; i < end; i++)
        for (size_t j = i + 1; j < end && index[j].key == index[i].key; j++) {
            const size_t first = (size_t)index[i].item, second = (size_t)index[j].item;

            if (strcmp(gr_trec_document(trec, first), gr_trec_document(trec, second)) == 0)
                return twice(from, trec, topic, first, second, err);
        }
    return GRADUS_OK;
}

static gradus_status sort_index(const reading *from, const gr_trec *trec, gr_keyed *index,
                                gradus_error *err)
{
    gr_array spare = { NULL, 0, false };
    gradus_status status = GRADUS_OK;

    for (size_t t = 0; t < trec->topics.list.count && status == GRADUS_OK; t++) {
        const size_t start = (size_t)trec->starts[t], count = (size_t)trec->starts[t + 1] - start;

        if (gr_array_reserve(&spare, count * sizeof *index)) {
            gr_sort_keyed(index + start, count, spare.at);
            status = check_topic(from, trec, t, err);
        } else {
            status = gr_fail_memory(err, "a TREC file");
        }
    }
    gr_array_free(&spare);
    return status;
}

static gradus_status make_index(const reading *from, gr_trec *trec, gradus_error *err)
{
    gr_keyed *index;

    if (!gr_array_reserve(&trec->owned[INDEX], trec->count * sizeof *index))
        return gr_fail_memory(err, "a TREC file");
    index = trec->owned[INDEX].at;
    for (size_t i = 0; i < trec->count; i++) {
        const char *name = gr_trec_document(trec, i);

        index[i] = (gr_keyed){ gr_hash(name, strlen(name)), i };
    }
    trec->index = index;
    return sort_index(from, trec, index, err);
}

gradus_status gr_trec_read_lines(gr_lines *lines, gr_trec_kind kind, gr_trec *trec,
                                 gradus_error *err)
{
    reading from = { .lines = lines, .kind = kind, .trec = trec };
    gradus_status status = read_lines(&from, err);

    if (status == GRADUS_OK)
        status = group(&from, trec, err);
    if (status == GRADUS_OK)
        status = make_index(&from, trec, err);
    gr_array_free(&from.topics);
    if (status != GRADUS_OK)
        gr_trec_free(trec);
    return status;
}

gradus_status gr_trec_read(const char *path, gr_trec_kind kind, gr_trec *trec, gradus_error *err)
{
    gradus_error failure = { GRADUS_OK, "" };
    gr_lines lines = { .source = gr_source_open(path, &failure) };
    gradus_status status;

    *trec = (gr_trec){ .count = 0 };
    if (!lines.source)
        return gr_fail(err, failure.status, "%s", failure.message);
    status = gr_trec_read_lines(&lines, kind, trec, err);
    gr_lines_free(&lines);
    gr_source_close(lines.source);
    return status;
}

void gr_trec_free(gr_trec *trec)
{
    gr_name_set_free(&trec->topics);
    for (size_t i = 0; i < PARTS; i++)
        gr_array_free(&trec->owned[i]);
    *trec = (gr_trec){ .count = 0 };
}

size_t gr_trec_find_topic(const gr_trec *trec, const char *name)
{
    return gr_name_set_find(&trec->topics, name, strlen(name));
}

size_t gr_trec_find(const gr_trec *trec, size_t topic, const char *document)
{
    const uint64_t hash = gr_hash(document, strlen(document));
    const size_t end = (size_t)trec->starts[topic + 1];
    size_t at = GR_BISECT(trec->starts[topic], end, i, trec->index[i].key < hash);

    for (; at < end && trec->index[at].key == hash; at++)
        if (strcmp(gr_trec_document(trec, (size_t)trec->index[at].item), document) == 0)
            return (size_t)trec->index[at].item;
    return SIZE_MAX;
}
