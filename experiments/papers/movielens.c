/* SPDX-License-Identifier: Apache-2.0 */
/* Reads MovieLens 100K and draws stratified samples of its ratings (see movielens.h). */
#include "experiments/papers/movielens.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/rng.h"
#include "base/text.h"
#include "experiments/helpers.h"

#include <stdlib.h>
#include <string.h>

#define MAX_BYTES ((size_t)1 << 28)

enum { MAX_FIELDS = 64, DATE = 3, MAX_ID = 1 << 24 };

static const uint64_t unusual_users[] = { 13, 181, 405, 445, 655, 774 };

/* A text file of separated fields, read one line at a time. */
typedef struct table {
    char path[512];
    char *bytes, *at;
    char separator;
    size_t line;
    char *fields[MAX_FIELDS];
    size_t count; /* the fields of the line */
} table;

static gradus_status open_table(const char *folder, const char *name, char separator, table *t,
                                gradus_error *err)
{
    static const char *const endings[] = { "", ".gz" };
    gradus_status status = GRADUS_NO_FILE;
    size_t size;

    *t = (table){ .separator = separator };
    for (size_t i = 0; i < 2 && status == GRADUS_NO_FILE; i++) {
        gr_text_copy(t->path, sizeof t->path, folder, "/");
        gr_text_append(t->path, sizeof t->path, name);
        gr_text_append(t->path, sizeof t->path, endings[i]);
        status = gradus_file_read(t->path, MAX_BYTES, &t->bytes, &size, err);
    }
    if (status == GRADUS_NO_FILE)
        return gr_fail(err, GRADUS_NO_FILE, "needs %.400s/%s, not found", folder, name);
    t->at = t->bytes;
    return status;
}

static gradus_status bad_line(const table *t, const char *expected, gradus_error *err)
{
    return gr_fail(err, GRADUS_BAD_FORMAT, "%.300s:%llu: expected %s", t->path,
                   (unsigned long long)t->line, expected);
}

/* Reads the next non-empty line and splits it into fields; false after the last. */
static bool next_line(table *t)
{
    while (*t->at) {
        char *end = t->at + strcspn(t->at, "\r\n"), *at = t->at;

        t->at = *end ? end + 1 : end;
        t->line += *end != '\r';
        *end = '\0';
        if (at == end)
            continue;
        t->count = 0;
        for (;;) {
            char *stop = strchr(at, t->separator);

            if (t->count < MAX_FIELDS)
                t->fields[t->count++] = at;
            if (!stop)
                return true;
            *stop = '\0';
            at = stop + 1;
        }
    }
    return false;
}

static bool read_count(const char *text, uint64_t most, uint64_t *count)
{
    const char *end = text + strlen(text), *after = gr_parse_count(text, end, count);

    return after == end && *count <= most;
}

/* Attributes of users or movies: `width` numbers per id. */
typedef struct known {
    gr_array numbers; /* float, ids x width */
    gr_array there;   /* bool, ids */
    size_t width, ids;
} known;

static float *know(known *all, uint64_t id, gradus_error *err)
{
    size_t cells, bytes;

    if (id >= all->ids) {
        const size_t ids = 2 * (size_t)id + 64, had = all->ids;

        if (!gr_size_times(ids, all->width, &cells) ||
            !gr_size_times(cells, sizeof(float), &bytes) ||
            !gr_array_reserve(&all->numbers, bytes) || !gr_array_reserve(&all->there, ids)) {
            gr_fail_memory(err, "movies and users");
            return NULL;
        }
        memset((float *)all->numbers.at + had * all->width, 0,
               (ids - had) * all->width * sizeof(float));
        memset((bool *)all->there.at + had, 0, ids - had);
        all->ids = ids;
    }
    ((bool *)all->there.at)[id] = true;
    return (float *)all->numbers.at + (size_t)id * all->width;
}

static const float *look_up(const known *all, uint64_t id)
{
    return id < all->ids && ((const bool *)all->there.at)[id]
               ? (const float *)all->numbers.at + (size_t)id * all->width
               : NULL;
}

typedef struct reading {
    const char *folder;
    gr_name_set genres, occupations;
    known movies, users;
    size_t rows;
    gr_array values, labels; /* float, appended row by row */
    gradus_error *err;
} reading;

/* Collects the first field of each line as a name. */
static gradus_status read_names(reading *r, const char *file, gr_name_set *names)
{
    gradus_error *err = r->err;
    table t;
    gradus_status status = open_table(r->folder, file, '|', &t, err);

    while (status == GRADUS_OK && next_line(&t))
        if (gr_name_set_add(names, t.fields[0], strlen(t.fields[0])) == SIZE_MAX)
            status = gr_fail_memory(err, "names");
    if (status == GRADUS_OK && (names->list.count < 2 || names->list.count > MAX_FIELDS - 5))
        status = bad_line(&t, "2 names to 59 in all", err);
    free(t.bytes);
    return status;
}

/* Parses "01-Jan-1995" to day, month and year. */
static bool read_date(char *text, float date[DATE])
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char *month = strchr(text, '-'), *year = month ? strchr(month + 1, '-') : NULL;
    uint64_t day, of_year;

    if (!year || year - month != 4)
        return false;
    *month++ = *year++ = '\0';
    const char *found = strstr(months, month);

    if (!found || (found - months) % 3 != 0 || !read_count(text, 31, &day) ||
        !read_count(year, 9999, &of_year))
        return false;
    date[0] = (float)day;
    /* NOLINTNEXTLINE(bugprone-integer-division): names of 3 letters, so a whole number */
    date[1] = (float)((found - months) / 3 + 1);
    date[2] = (float)of_year;
    return true;
}

/* A movie without a release date is treated as unknown. */
static gradus_status take_movie(reading *r, table *t)
{
    const size_t genres = r->genres.list.count;
    float date[DATE] = { 0.0f }, *numbers;
    uint64_t id;

    if (t->count != 5 + genres || !read_count(t->fields[0], MAX_ID, &id))
        return bad_line(t, "number|title|date|date|address| and a 0 or 1 for each genre", r->err);
    if (!t->fields[2][0])
        return GRADUS_OK;
    if (!read_date(t->fields[2], date))
        return bad_line(t, "a date such as 01-Jan-1995", r->err);
    numbers = know(&r->movies, id, r->err);
    if (!numbers)
        return GRADUS_NO_MEMORY;
    memcpy(numbers, date, sizeof date);
    for (size_t g = 1; g < genres; g++)
        numbers[DATE + g - 1] = strcmp(t->fields[5 + g], "1") == 0;
    return GRADUS_OK;
}

static gradus_status take_user(reading *r, table *t)
{
    uint64_t id, age;
    size_t occupation = SIZE_MAX;
    float *numbers;

    if (t->count >= 4)
        occupation = gr_name_set_find(&r->occupations, t->fields[3], strlen(t->fields[3]));
    if (occupation == SIZE_MAX || !read_count(t->fields[0], MAX_ID, &id) ||
        !read_count(t->fields[1], 200, &age) ||
        (strcmp(t->fields[2], "M") != 0 && strcmp(t->fields[2], "F") != 0))
        return bad_line(t, "number|age|M or F|an occupation of u.occupation", r->err);
    numbers = know(&r->users, id, r->err);
    if (!numbers)
        return GRADUS_NO_MEMORY;
    numbers[0] = (float)age;
    numbers[1] = t->fields[2][0] == 'M';
    numbers[2 + occupation] = 1.0f;
    return GRADUS_OK;
}

static bool is_unusual(uint64_t user)
{
    for (size_t i = 0; i < sizeof unusual_users / sizeof *unusual_users; i++)
        if (user == unusual_users[i])
            return true;
    return false;
}

static gradus_status take_rating(reading *r, table *t)
{
    const size_t width = r->movies.width + r->users.width, row = r->rows;
    const float *movie, *user;
    uint64_t ids[2], rating = 0;

    if (t->count < 3 || !read_count(t->fields[0], MAX_ID, &ids[0]) ||
        !read_count(t->fields[1], MAX_ID, &ids[1]) ||
        !read_count(t->fields[2], GR_RATINGS, &rating) || rating == 0)
        return bad_line(t, "user, movie, a rating from 1 to 5, time", r->err);
    user = look_up(&r->users, ids[0]);
    movie = look_up(&r->movies, ids[1]);
    if (is_unusual(ids[0]) || !movie)
        return GRADUS_OK;
    if (!user)
        return bad_line(t, "a user of u.user", r->err);
    if (!gr_array_reserve(&r->values, (row + 1) * width * sizeof(float)) ||
        !gr_array_reserve(&r->labels, (row + 1) * sizeof(float)))
        return gr_fail_memory(r->err, "ratings");
    float *values = (float *)r->values.at + row * width;

    memcpy(values, movie, r->movies.width * sizeof *values);
    memcpy(values + r->movies.width, user, r->users.width * sizeof *values);
    ((float *)r->labels.at)[row] = (float)rating;
    r->rows++;
    return GRADUS_OK;
}

static gradus_status read_table(reading *r, const char *file, char separator,
                                gradus_status (*take)(reading *, table *))
{
    table t;
    gradus_status status = open_table(r->folder, file, separator, &t, r->err);

    while (status == GRADUS_OK && next_line(&t))
        status = take(r, &t);
    free(t.bytes);
    return status;
}

static gradus_status read_all(reading *r)
{
    GR_TRY(read_names(r, "u.genre", &r->genres));
    GR_TRY(read_names(r, "u.occupation", &r->occupations));
    r->movies.width = DATE + r->genres.list.count - 1;
    r->users.width = 2 + r->occupations.list.count;
    GR_TRY(read_table(r, "u.item", '|', take_movie));
    GR_TRY(read_table(r, "u.user", '|', take_user));
    GR_TRY(read_table(r, "u.data", '\t', take_rating));
    if (r->rows == 0)
        return gr_fail(r->err, GRADUS_BAD_FORMAT, "%.400s/u.data has no usable ratings", r->folder);
    return GRADUS_OK;
}

/* The predictors, standardised. */
static gradus_dataset *make_dataset(gradus_context *context, const reading *r)
{
    const gradus_arrays arrays = { .rows = r->rows,
                                   .features = r->movies.width + r->users.width,
                                   .values = r->values.at,
                                   .stride = r->movies.width + r->users.width,
                                   .labels = r->labels.at };
    gradus_options *options = gr_words_options("transform", "transform=standardise", r->err);
    gradus_dataset *plain = options ? gradus_dataset_borrow(&arrays, r->err) : NULL, *data = NULL;

    if (plain)
        data = gradus_dataset_transform(context, plain, options, r->err);
    gradus_dataset_free(plain);
    gradus_options_free(options);
    return data;
}

gradus_dataset *gr_movielens_read(gradus_context *context, const char *folder, gradus_error *err)
{
    gradus_error own = { GRADUS_OK, "" };
    reading r = { .folder = folder, .err = err ? err : &own };
    gradus_dataset *data = read_all(&r) == GRADUS_OK ? make_dataset(context, &r) : NULL;

    gr_name_set_free(&r.genres);
    gr_name_set_free(&r.occupations);
    gr_array_free(&r.movies.numbers);
    gr_array_free(&r.movies.there);
    gr_array_free(&r.users.numbers);
    gr_array_free(&r.users.there);
    gr_array_free(&r.values);
    gr_array_free(&r.labels);
    return data;
}

/* Copies selected rows. */
static gradus_dataset *take_rows(const gradus_dataset *from, const size_t *rows, size_t count,
                                 const float *grades, gradus_error *err)
{
    const gradus_arrays all = gr_arrays_of(from);
    float *values = gr_new_array(count, all.features * sizeof *values);
    float *labels = gr_new_array(count, sizeof *labels);
    const gradus_arrays arrays = { .rows = count,
                                   .features = all.features,
                                   .values = values,
                                   .stride = all.features,
                                   .labels = labels };
    gradus_dataset *made = NULL;

    for (size_t i = 0; values && labels && i < count; i++) {
        memcpy(values + i * all.features, all.values + rows[i] * all.stride,
               all.features * sizeof *values);
        labels[i] = grades[(size_t)all.labels[rows[i]] - 1];
    }
    if (values && labels)
        made = gr_copy_arrays(&arrays, err);
    else
        gr_fail_memory(err, "a sample");
    free(values);
    free(labels);
    return made;
}

/* The rows of each rating in random order; starts: the offset of each rating's rows. */
static void shuffle_ratings(const gradus_dataset *ratings, uint64_t seed, uint64_t replicate,
                            size_t *order, size_t starts[GR_RATINGS + 1])
{
    const gradus_arrays all = gr_arrays_of(ratings);
    gr_rng rng = gr_rng_for(seed, "movielens", replicate);
    size_t filled = 0;

    for (size_t k = 0; k < GR_RATINGS; k++) {
        starts[k] = filled;
        for (size_t r = 0; r < all.rows; r++)
            if ((size_t)all.labels[r] == k + 1)
                order[filled++] = r;
        gr_shuffle(&rng, order + starts[k], filled - starts[k]);
    }
    starts[GR_RATINGS] = filled;
}

static gradus_status too_few(size_t rating, size_t wanted, size_t left, gradus_error *err)
{
    return gr_fail(
        err, GRADUS_BAD_NUMBER, "%llu more rows of rating %llu are needed, but only %llu are left",
        (unsigned long long)wanted, (unsigned long long)rating, (unsigned long long)left);
}

gradus_status gr_movielens_draw(const gradus_dataset *ratings, const size_t *counts, size_t parts,
                                const float *grades, uint64_t seed, uint64_t replicate,
                                gradus_dataset **made, gradus_error *err)
{
    size_t *order = gr_new_array(gradus_dataset_rows(ratings), sizeof *order);
    size_t *chosen = gr_new_array(gradus_dataset_rows(ratings), sizeof *chosen),
           next[GR_RATINGS + 1] = { 0 };
    size_t ends[GR_RATINGS + 1];
    gradus_status status = order && chosen ? GRADUS_OK : gr_fail_memory(err, "a sample");

    memset(made, 0, parts * sizeof *made);
    if (status == GRADUS_OK)
        shuffle_ratings(ratings, seed, replicate, order, next);
    memcpy(ends, next, sizeof ends);
    for (size_t part = 0; part < parts && status == GRADUS_OK; part++) {
        const size_t *wanted = counts + part * GR_RATINGS;
        size_t count = 0;

        for (size_t k = 0; k < GR_RATINGS && status == GRADUS_OK; k++) {
            if (wanted[k] > ends[k + 1] - next[k])
                status = too_few(k + 1, wanted[k], ends[k + 1] - next[k], err);
            else
                memcpy(chosen + count, order + next[k], wanted[k] * sizeof *chosen);
            count += wanted[k];
            next[k] += wanted[k];
        }
        if (status == GRADUS_OK && !(made[part] = take_rows(ratings, chosen, count, grades, err)))
            status = GRADUS_NO_MEMORY;
    }
    for (size_t part = 0; part < parts && status != GRADUS_OK; part++) {
        gradus_dataset_free(made[part]);
        made[part] = NULL;
    }
    free(order);
    free(chosen);
    return status;
}
