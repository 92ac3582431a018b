/* SPDX-License-Identifier: Apache-2.0 */
/* Parses LETOR text: the hot loop of reading. A feature is "id:value "; ids mostly increase by one,
 * so the text of the expected id is compared rather than parsed, and up to eight digits are
 * converted at once in one word. */
#include "data/letor_block.h"

#include "base/short_number.h"
#include "base/text.h"
#include "data/letor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The position in the text, and where the current row is stored. */
typedef struct cursor {
    const char *at, *end, *line;
    float *value;
    uint32_t *column; /* valid unless block->uniform */
    gr_letor_block *block;
    const gr_id_tokens *tokens;
    bool row_named; /* the current row has a query id */
    bool bad;
} cursor;

void gr_id_tokens_fill(gr_id_tokens *tokens)
{
    for (size_t id = 0; id <= GR_ID_TOKENS; id++) {
        char text[GRADUS_NUMBER_SIZE] = "";
        const size_t length = gr_format_count(id, text);

        text[length] = ':';
        memcpy(&tokens->pattern[id], text, 8);
        tokens->length[id] = (uint8_t)(length + 1);
        tokens->mask[id] = length + 1 < 8 ? ((uint64_t)1 << 8 * (length + 1)) - 1 : ~(uint64_t)0;
        tokens->pattern[id] &= tokens->mask[id];
    }
}

bool gr_letor_block_reserve(gr_letor_block *block, size_t capacity)
{
    if (capacity <= block->capacity)
        return true;
    block->capacity = capacity;
    /* a row takes at least two bytes of text, a feature four; untouched pages cost nothing */
    return gr_array_reserve(&block->labels, capacity * 2 + 64) &&
           gr_array_reserve(&block->weights, capacity * 2 + 64) &&
           gr_array_reserve(&block->values, capacity + 64) &&
           gr_array_reserve(&block->columns, capacity + 64) &&
           gr_array_reserve(&block->row_ends, capacity * 4 + 64) &&
           gr_array_reserve(&block->runs, (capacity / 6 + 1) * sizeof(gr_query_run)) &&
           gr_array_reserve(&block->document_bytes, capacity * 2 + 64) &&
           gr_array_reserve(&block->document_ends, capacity * 4 + 64);
}

void gr_letor_block_free(gr_letor_block *block)
{
    gr_array_free(&block->labels);
    gr_array_free(&block->weights);
    gr_array_free(&block->values);
    gr_array_free(&block->columns);
    gr_array_free(&block->row_ends);
    gr_array_free(&block->runs);
    gr_array_free(&block->document_bytes);
    gr_array_free(&block->document_ends);
}

/* Records the first error: what was expected at `at`. */
static void misfit(cursor *c, const char *at, const char *expected)
{
    gr_misfit *m = &c->block->misfit;
    size_t n = 0;

    if (c->bad)
        return;
    c->bad = true;
    m->line = c->block->lines;
    m->column = (size_t)(at - c->line) + 1;
    m->expected = expected;
    for (; n + 1 < sizeof m->found && at + n < c->end && (unsigned char)at[n] > ' '; n++)
        m->found[n] = at[n];
    m->found[n] = '\0';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Whether a token ends here: blank, line end or comment. A lone CR does not end a token. */
static bool ends_token(const char *at)
{
    return is_blank(*at) || *at == '\n' || *at == '#' || (*at == '\r' && at[1] == '\n');
}

/* Parses a number in any format; it must be a complete token. */
static const char *any_number(cursor *c, const char *at, const char *expected, float *number)
{
    const char *stop = gr_parse_float(at, c->end, number);

    if (!stop || !ends_token(stop)) {
        misfit(c, at, expected);
        return NULL;
    }
    return stop;
}

static void feature_number(cursor *c, const char *at, float *number)
{
    const char *stop = any_number(c, at, "a number after 'id:'", number);

    if (stop && isinf(*number))
        misfit(c, at, "a finite number that fits in 32 bits");
    c->at = stop;
}

/* Fills columns[] for the entries so far, once a row breaks the uniform pattern. */
static void keep_columns(cursor *c)
{
    gr_letor_block *block = c->block;
    uint32_t *columns = block->columns.at;
    const size_t count = (size_t)(c->value - (float *)block->values.at);
    const size_t width = block->width;
    size_t column = 0;

    for (size_t e = 0; e < count; e++) {
        columns[e] = (uint32_t)column;
        column = column + 1 < width || block->rows == 0 ? column + 1 : 0;
    }
    block->uniform = false;
    c->column = columns + count;
}

static void add_feature(cursor *c, size_t column, float value, size_t *next)
{
    if (c->block->uniform && (column != *next || (c->block->rows > 0 && column >= c->block->width)))
        keep_columns(c);
    if (!c->block->uniform)
        *c->column++ = (uint32_t)column;
    *c->value++ = value;
    *next = column + 1;
}

/* Parses "17:" with any id; *value: where the value starts. */
static bool feature_id(cursor *c, uint64_t *id, const char **value)
{
    uint64_t digits;
    const unsigned count = gr_leading_digits(c->at, &digits);

    if (count > 0 && count < 8 && c->at[count] == ':') {
        *id = gr_digits_value(digits, count);
        *value = c->at + count + 1;
        return true;
    }
    *value = gr_parse_count(c->at, c->end, id);
    if (!*value || **value != ':') {
        misfit(c, c->at, "id:value");
        return false;
    }
    ++*value;
    if (*id > INT32_MAX)
        misfit(c, c->at, "a feature id up to 2147483647");
    return !c->bad;
}

/* Parses a feature with any id and any number format. */
static void any_feature(cursor *c, size_t *next, bool *unsorted)
{
    const char *at, *stop;
    uint64_t id = 0;
    float value = 0.0f;

    if (!feature_id(c, &id, &at))
        return;
    if (id == 0 && c->block->first_id == 1) {
        c->block->needs_zero = c->bad = true;
        return;
    }
    stop = gr_short_number(at, &value);
    if (stop && ends_token(stop))
        c->at = stop;
    else
        feature_number(c, at, &value);
    if (c->bad)
        return;
    const size_t column = (size_t)id - c->block->first_id;
    *unsorted |= column < *next;
    add_feature(c, column, value, next);
}

static inline const char *skip_blanks(const char *at)
{
    while (is_blank(*at))
        at++;
    return at;
}

/* One-digit numbers, mostly zeros and small counts, have a fast path. */
static inline const char *small_or_short_number(const char *at, float *number)
{
    if (at[1] == ' ' && is_digit(*at)) {
        *number = (float)(*at - '0');
        return at + 1;
    }
    return gr_short_number(at, number);
}

/* Parses features with consecutive ids, one space apart. Stops at anything else. */
static void plain_features(cursor *c, size_t *next)
{
    const gr_id_tokens *tokens = c->tokens;
    const size_t first_id = c->block->first_id;
    const char *at = c->at;
    const bool uniform = c->block->uniform;
    const size_t known = GR_ID_TOKENS - 1;
    const size_t limit =
        c->block->rows == 0 || !uniform || c->block->width > known ? known : c->block->width;
    size_t column = *next;
    float *value = c->value;
    uint32_t *columns = c->column;

    while (column < limit) {
        uint64_t word;
        const size_t id = column + first_id;
        const char *stop;

        memcpy(&word, at, 8);
        if ((word & tokens->mask[id]) != tokens->pattern[id])
            break;
        stop = small_or_short_number(at + tokens->length[id], value);
        if (!stop || (*stop != ' ' && *stop != '\n'))
            break;
        value++;
        if (!uniform)
            *columns++ = (uint32_t)column;
        column++;
        at = stop;
        if (*at == '\n')
            break;
        at++;
    }
    c->at = at;
    c->value = value;
    c->column = columns;
    *next = column;
}

static const char *trim_end(const char *from, const char *to)
{
    while (to > from && (unsigned char)to[-1] <= ' ')
        to--;
    return to;
}

/* Extracts X from "docid = X inc = 1 ..."; any other comment is itself the document name. */
static void document_name(const char **from, const char **to)
{
    const char *at = *from;

    if (*to - at < 6 || memcmp(at, "docid", 5) != 0)
        return;
    at = skip_blanks(at + 5);
    if (*at != '=')
        return;
    at = skip_blanks(at + 1);
    *from = at;
    while (at < *to && (unsigned char)*at > ' ')
        at++;
    *to = at;
}

static void add_document(cursor *c, const char *from, const char *to)
{
    gr_letor_block *block = c->block;
    char *bytes = block->document_bytes.at;
    uint64_t *ends = block->document_ends.at;

    if (!block->has_documents) /* earlier rows have no name */
        for (size_t r = 0; r < block->rows; r++) {
            bytes[block->document_used++] = '\0';
            ends[r] = block->document_used;
        }
    block->has_documents = true;
    memcpy(bytes + block->document_used, from, (size_t)(to - from));
    block->document_used += (size_t)(to - from);
    bytes[block->document_used++] = '\0';
    ends[block->rows] = block->document_used;
}

/* Parses a comment, from '#' to the line end. */
static void comment(cursor *c)
{
    const char *stop = memchr(c->at, '\n', (size_t)(c->end - c->at));
    const char *from = skip_blanks(c->at + 1), *to;
    const char *nul = memchr(c->at, '\0', (size_t)(stop - c->at));

    to = trim_end(from, stop);
    if (nul) {
        misfit(c, nul, "text without NUL bytes");
        return;
    }
    document_name(&from, &to);
    if (to - from > GR_LONGEST_NAME)
        misfit(c, from, "a document name of at most 4096 bytes");
    else if (to > from)
        add_document(c, from, to);
    c->at = stop;
}

static void query_id(cursor *c)
{
    gr_letor_block *block = c->block;
    const char *from = c->at + 4, *to = from;
    gr_query_run *runs = block->runs.at;
    const gr_query_run *last = block->run_count ? &runs[block->run_count - 1] : NULL;
    size_t length;

    while (!ends_token(to) && *to)
        to++;
    length = (size_t)(to - from);
    if (length == 0)
        misfit(c, c->at, "an id after 'qid:'");
    else if (length > GR_LONGEST_NAME)
        misfit(c, from, "a query id of at most 4096 bytes");
    else if (!*to)
        misfit(c, to, "text without NUL bytes");
    else if (!last && block->rows > 0)
        misfit(c, c->at, "no 'qid:', as in the previous rows");
    else if (c->row_named)
        misfit(c, c->at, "one 'qid:' per row");
    else if (!last || last->name_length != length || memcmp(last->name, from, length) != 0)
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): reserved with the rows */
        runs[block->run_count++] = (gr_query_run){ block->rows, from, length };
    c->row_named = true;
    c->at = to;
}

static void cost(cursor *c)
{
    gr_letor_block *block = c->block;
    float *weights = block->weights.at;
    const char *at = c->at + 5;
    float weight = 0.0f;
    const char *stop = any_number(c, at, "a weight after 'cost:'", &weight);

    if (!stop)
        return;
    if (!(weight >= 0.0f) || isinf(weight))
        misfit(c, at, "a finite, non-negative weight");
    for (size_t r = 0; !block->has_weights && r < block->rows; r++)
        weights[r] = 1.0f;
    block->has_weights = true;
    weights[block->rows] = weight;
    c->at = stop;
}

typedef struct slot {
    uint32_t column;
    float value;
} slot;

static int by_column(const void *left, const void *right)
{
    const slot *a = left, *b = right;

    return a->column < b->column ? -1 : a->column > b->column;
}

/* Sorts the features of a row by column. */
static void sort_row(cursor *c, size_t first)
{
    uint32_t *columns = (uint32_t *)c->block->columns.at + first;
    float *values = (float *)c->block->values.at + first;
    const size_t count = (size_t)(c->column - columns);
    slot *slots = malloc(count * sizeof *slots);

    if (!slots) {
        misfit(c, c->line, "memory for a row");
        return;
    }
    for (size_t i = 0; i < count; i++)
        slots[i] = (slot){ columns[i], values[i] };
    qsort(slots, count, sizeof *slots, by_column);
    for (size_t i = 0; i < count; i++) {
        columns[i] = slots[i].column;
        values[i] = slots[i].value;
    }
    free(slots);
}

/* Finds the second occurrence of a feature id in the line. */
static const char *second_place(const cursor *c, uint64_t id)
{
    const char *at = c->line;
    int seen = 0;

    for (; *at != '\n'; at++) {
        uint64_t found = 0;
        const char *stop =
            at > c->line && is_blank(at[-1]) ? gr_parse_count(at, c->end, &found) : NULL;
        if (stop && *stop == ':' && found == id && ++seen == 2)
            break;
    }
    return at;
}

static void refuse_duplicates(cursor *c, size_t first)
{
    const uint32_t *columns = c->block->columns.at;
    const size_t end = (size_t)(c->column - columns);

    for (size_t e = first + 1; e < end; e++)
        if (columns[e] == columns[e - 1]) {
            misfit(c, second_place(c, columns[e] + c->block->first_id),
                   "each feature id once per row");
            return;
        }
}

static bool begins(const char *at, const char *word, size_t length)
{
    return strncmp(at, word, length) == 0;
}

/* Parses features one space apart, up to anything else. */
static void features(cursor *c, size_t *next, bool *unsorted)
{
    const char *start = c->at;

    for (;;) {
        if (!*unsorted)
            plain_features(c, next);
        if (!is_digit(*c->at) && c->at > start)
            return;
        any_feature(c, next, unsorted);
        if (c->bad || *c->at != ' ' || !is_digit(c->at[1]))
            return;
        c->at++;
    }
}

/* Parses everything after the label. */
static void fields(cursor *c, size_t *next)
{
    const size_t first = (size_t)(c->value - (float *)c->block->values.at);
    bool unsorted = false;

    while (!c->bad) {
        c->at = skip_blanks(c->at);
        if (*c->at == '\n' || *c->at == '\r') {
            if (!ends_token(c->at))
                misfit(c, c->at, "a line feed after a carriage return");
            break;
        }
        if (*c->at == '#')
            comment(c);
        else if (begins(c->at, "qid:", 4))
            query_id(c);
        else if (begins(c->at, "cost:", 5))
            cost(c);
        else
            features(c, next, &unsorted);
    }
    if (unsorted && !c->bad) {
        sort_row(c, first);
        refuse_duplicates(c, first);
        *next = (size_t)c->column[-1] + 1;
    }
}

static void label(cursor *c)
{
    float *labels = c->block->labels.at;
    float number = 0.0f;
    const char *stop;

    if (is_digit(*c->at) && c->at[1] == ' ') {
        labels[c->block->rows] = (float)(*c->at - '0');
        c->at += 2;
        return;
    }
    stop = any_number(c, c->at, "a label (a number)", &number);
    if (!stop)
        return;
    if (!isfinite(number))
        misfit(c, c->at, "a finite label");
    labels[c->block->rows] = number;
    c->at = stop;
}

static void end_row(cursor *c, size_t width, size_t first)
{
    gr_letor_block *block = c->block;
    uint64_t *ends = block->row_ends.at;

    /* a row shorter than the previous ones breaks the uniform pattern, too */
    if (block->uniform && block->rows > 0 && width != block->width) {
        float *value = c->value;

        c->value = (float *)block->values.at + first;
        keep_columns(c);
        for (size_t column = 0; c->value < value; c->value++)
            *c->column++ = (uint32_t)column++;
    }
    if (width > block->width)
        block->width = width;
    ends[block->rows] = (uint64_t)(c->value - (float *)block->values.at);
    if (block->has_documents && ((uint64_t *)block->document_ends.at)[block->rows] == 0) {
        ((char *)block->document_bytes.at)[block->document_used++] = '\0';
        ((uint64_t *)block->document_ends.at)[block->rows] = block->document_used;
    }
    block->rows++;
}

static void row(cursor *c)
{
    gr_letor_block *block = c->block;
    const size_t first = (size_t)(c->value - (float *)block->values.at);
    const char *after_label;
    size_t next = 0;

    ((uint64_t *)block->document_ends.at)[block->rows] = 0;
    if (block->has_weights)
        ((float *)block->weights.at)[block->rows] = 1.0f;
    c->row_named = false;
    label(c);
    if (c->bad)
        return;
    after_label = c->at;
    fields(c, &next);
    if (!c->bad && block->run_count && !c->row_named)
        misfit(c, after_label, "'qid:', as in the previous rows");
    if (!c->bad)
        end_row(c, next, first);
}

void gr_letor_block_parse(gr_letor_block *block, const char *text, size_t size,
                          const gr_id_tokens *tokens)
{
    cursor c = { text,   text + size, text, block->values.at, block->columns.at, block,
                 tokens, false,       false };

    block->rows = block->entries = block->width = block->run_count = block->lines = 0;
    block->document_used = 0;
    block->uniform = true;
    block->needs_zero = block->has_documents = block->has_weights = false;
    block->misfit.expected = NULL;
    while (c.at < c.end && !c.bad) {
        c.line = c.at;
        c.at = skip_blanks(c.at);
        if (*c.at == '#')
            c.at = memchr(c.at, '\n', (size_t)(c.end - c.at));
        else if (*c.at != '\n' && !(*c.at == '\r' && c.at[1] == '\n'))
            row(&c);
        if (c.bad)
            break;
        c.at += *c.at == '\r';
        c.at++;
        block->lines++;
    }
    block->entries = (size_t)(c.value - (float *)block->values.at);
}

gr_block gr_letor_block_rows(const gr_letor_block *block)
{
    return (gr_block){
        .rows = block->rows,
        .labels = block->labels.at,
        .weights = block->has_weights ? block->weights.at : NULL,
        .dense = block->uniform,
        .width = block->width,
        .stride = block->width,
        .values = block->values.at,
        .first_id = block->first_id,
        .row_ends = block->row_ends.at,
        .columns = block->columns.at,
        .entries = block->values.at,
        .runs = block->run_count,
        .query_runs = block->runs.at,
        .has_documents = block->has_documents,
        .document_bytes = block->document_bytes.at,
        .document_ends = block->document_ends.at,
    };
}
