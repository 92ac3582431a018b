/* SPDX-License-Identifier: Apache-2.0 */
/* Clicks on advertisements next to search results, in time order: sparse rows of hashed categories,
 * rare positives, and a model that drifts. Modelled on the sponsored-search data of Sculley,
 * "Combined regression and ranking" (2010), which are not public. */
#include "data/synth/synth_draw.h"
#include "data/synth/synth.h"

#include <stdlib.h>

enum { VOCABULARY = 50000, ADS = 20000, ADVERTISERS = 2000, USERS = 5000, PLACES = 6 };
enum { PAGES_A_DAY = 5000 }; /* a page is one search with its advertisements, and forms a query */
enum { MAX_ENTRIES = 64 };

typedef struct clicks_options {
    uint64_t queries, features;
    double rate, drift;
    uint64_t first_query, seed;
} clicks_options;

static const gr_param clicks_params[] = {
    GR_PARAM_COUNT(clicks_options, queries, "queries", "N", 25000, 1, GR_SYNTH_MAX,
                   "number of pages, with 1 to 6 advertisements (rows) each"),
    GR_PARAM_COUNT(clicks_options, features, "features", "N", 100000, 100, 1000000000,
                   "number of columns that categories are hashed into"),
    GR_PARAM_REAL(clicks_options, rate, "rate", "X", 0.02, 0.0001, 0.9,
                  "click rate: fraction of rows with label 1"),
    GR_PARAM_REAL(clicks_options, drift, "drift", "X", 1, 0, 10,
                  "how much the appeal of advertisements changes over time; 0: not at all"),
    GR_PARAM_COUNT(clicks_options, first_query, "first-query", "N", 1, 1, GR_SYNTH_MAX,
                   "number of the first page; pages are in time order"),
    GR_PARAM_COUNT(clicks_options, seed, "seed", "N", 1, 0, 18446744073709551615.0,
                   "random seed; the set depends only on it and the other options"),
    GR_PARAM_END,
};

const gr_operation gr_operation_synth_clicks = {
    .name = "synth clicks",
    .summary = "clicks on advertisements: sparse, rare, in time order",
    .params = clicks_params,
    .size = sizeof(clicks_options),
};

typedef struct clicks_plan {
    clicks_options options;
    gr_rng weights; /* its key generates the model's weights */
    double bias;
    gr_zipf vocabulary, ads, users;
} clicks_plan;

/* Kinds of categories, and the standard deviation of the weights of each. */
typedef enum kind {
    PLACE,
    HOUR,
    USER,
    QUERY_TERM,
    AD,
    ADVERTISER,
    AD_TERM,
    TERM_AD,
    USER_FIRM,
    PLACE_FIRM,
    DRIFT,
    KINDS
} kind;
static const double spread_of[KINDS] = { 0.0, 0.2, 0.6, 0.3, 0.7, 0.9, 0.15, 0.35, 0.25, 0.1, 0.8 };

/* A row being made: its entries, and the model's sum over them. */
typedef struct click_row {
    uint32_t columns[MAX_ENTRIES];
    float entries[MAX_ENTRIES];
    size_t count;
    double score;
} click_row;

/* What all advertisements of a page have in common. */
typedef struct click_page {
    double day;
    uint32_t user, terms[4], ads[PLACES];
    size_t term_count, shown;
} click_page;

/* Four pseudo-random words, determined by kind, value and salt. */
static void mix(const clicks_plan *plan, kind what, uint64_t value, uint32_t salt, uint32_t out[4])
{
    const uint32_t counter[4] = { (uint32_t)what, salt, (uint32_t)value, (uint32_t)(value >> 32) };

    gr_philox(counter, plan->weights.key, out);
}

/* Adds a category to the row: hashes it to a column and adds its model weight to the score. */
static void add(const clicks_plan *plan, click_row *row, kind what, uint64_t value, double entry)
{
    uint32_t words[4];

    mix(plan, what, value, 0, words);
    row->columns[row->count] = (uint32_t)((uint64_t)words[0] * plan->options.features >> 32);
    row->entries[row->count++] = (float)entry;
    row->score += entry * spread_of[what] * gr_normal_quantile(((double)words[1] + 0.5) * 0x1p-32);
}

/* The advertisement at a rank of popularity on a day. Each keeps its rank for some days until
 * another replaces it, so that popularity changes from month to month. */
static uint64_t ad_at(const clicks_plan *plan, uint32_t rank, double day)
{
    uint32_t words[4];

    if (plan->options.drift <= 0.0)
        return rank;
    mix(plan, AD, rank, 1, words);
    const double stays = 4.0 + 20.0 * (double)words[0] * 0x1p-32;
    const double changes = plan->options.drift * day / stays + (double)words[1] * 0x1p-32;

    return (uint64_t)changes * ADS + rank;
}

static double drift_at(const clicks_plan *plan, uint64_t ad, uint64_t knot)
{
    uint32_t words[4];

    mix(plan, DRIFT, ad, (uint32_t)knot + 2, words);
    return gr_normal_quantile(((double)words[0] + 0.5) * 0x1p-32);
}

/* The log-odds of an advertisement drift linearly between knots three days apart. */
static double drift_of(const clicks_plan *plan, uint64_t ad, double day)
{
    const double time = day / 3.0, share = time - floor(time);
    const uint64_t knot = (uint64_t)time;

    if (plan->options.drift <= 0.0)
        return 0.0;
    return plan->options.drift * spread_of[DRIFT] *
           ((1.0 - share) * drift_at(plan, ad, knot) + share * drift_at(plan, ad, knot + 1));
}

/* Adds the 8 to 15 terms of an advertisement; some are terms of the query it is shown for. */
static void add_ad_terms(const clicks_plan *plan, click_row *row, const click_page *page,
                         uint64_t ad)
{
    gr_rng rng = { .key = { plan->weights.key[0], plan->weights.key[1] },
                   .counter = { 0, 1u << 31, (uint32_t)ad, (uint32_t)(ad >> 32) } };
    const size_t count = 8 + gr_draw_below(&rng, 8);

    for (size_t i = 0; i < count; i++) {
        const bool bid = gr_draw_uniform(&rng) < 0.15;
        const uint32_t drawn = gr_draw_zipf(&rng, &plan->vocabulary);
        /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a page has a term */
        const uint32_t term = bid ? page->terms[i % page->term_count] : drawn;
        const double idf = gr_log(VOCABULARY / ((double)term + 1.0));
        const double tf = 1.0 + gr_draw_below(&rng, 2);

        add(plan, row, AD_TERM, term, nearbyint(100.0 * tf * idf / 11.0) / 100.0 + 0.01);
    }
}

static void sort_and_merge(click_row *row)
{
    size_t kept = 0;

    for (size_t i = 1; i < row->count; i++) {
        const uint32_t column = row->columns[i];
        const float entry = row->entries[i];
        size_t at = i;

        for (; at > 0 && row->columns[at - 1] > column; at--) {
            row->columns[at] = row->columns[at - 1];
            row->entries[at] = row->entries[at - 1];
        }
        row->columns[at] = column;
        row->entries[at] = entry;
    }
    for (size_t i = 0; i < row->count; i++)
        if (kept > 0 && row->columns[kept - 1] == row->columns[i]) {
            row->entries[kept - 1] =
                gr_round_digits((double)row->entries[kept - 1] + (double)row->entries[i]);
        } else {
            row->columns[kept] = row->columns[i];
            row->entries[kept++] = row->entries[i];
        }
    row->count = kept;
}

static void make_row(const clicks_plan *plan, const click_page *page, size_t place, click_row *row)
{
    const uint64_t ad = ad_at(plan, page->ads[place], page->day);
    const uint64_t firm = (ad * 2654435761u + ad / ADS) % ADVERTISERS;
    const double hour = (page->day - floor(page->day)) * 24.0;

    row->count = 0;
    row->score = -0.8 * (double)place + drift_of(plan, ad, page->day);
    add(plan, row, PLACE, place, 1.0);
    add(plan, row, HOUR, (uint64_t)hour, 1.0);
    add(plan, row, USER, page->user, 1.0);
    add(plan, row, AD, ad, 1.0);
    add(plan, row, ADVERTISER, firm, 1.0);
    add(plan, row, USER_FIRM, page->user * (uint64_t)ADVERTISERS + firm, 1.0);
    add(plan, row, PLACE_FIRM, place * (uint64_t)ADVERTISERS + firm, 1.0);
    for (size_t t = 0; t < page->term_count; t++) {
        add(plan, row, QUERY_TERM, page->terms[t], 1.0);
        add(plan, row, TERM_AD, page->terms[t] * ((uint64_t)1 << 40) + ad, 1.0);
    }
    add_ad_terms(plan, row, page, ad);
    sort_and_merge(row);
}

/* Draws a page. Its advertisements have neighbouring popularity ranks, as if from one market. */
static click_page draw_page(const clicks_plan *plan, gr_rng *rng, uint64_t number)
{
    click_page page = { .day = (double)(number - 1) / PAGES_A_DAY };
    const uint32_t market = gr_draw_zipf(rng, &plan->ads);

    page.user = gr_draw_zipf(rng, &plan->users);
    page.term_count = 2 + gr_draw_below(rng, 3);
    for (size_t t = 0; t < page.term_count; t++)
        page.terms[t] = gr_draw_zipf(rng, &plan->vocabulary);
    page.shown = 1 + gr_draw_below(rng, PLACES);
    for (size_t place = 0; place < page.shown; place++)
        page.ads[place] = (market + (uint32_t)place * 7u + gr_draw_below(rng, 7)) % ADS;
    return page;
}

enum { SAMPLE_PARTS = 32, SAMPLE_PAGES = 256, SAMPLE_PART = SAMPLE_PAGES * PLACES };

/* Scores of a sample of pages from sixty days. */
typedef struct click_sample {
    const clicks_plan *plan;
    size_t counts[SAMPLE_PARTS];
    double scores[SAMPLE_PARTS][SAMPLE_PART];
} click_sample;

static void draw_scores(void *argument, size_t part, size_t worker)
{
    click_sample *sample = argument;
    const clicks_plan *plan = sample->plan;
    gr_rng rng = gr_rng_for(plan->options.seed, "clicks sample", part);
    click_row row;

    (void)worker;
    for (size_t i = 0; i < SAMPLE_PAGES; i++) {
        const uint64_t number = 1 + gr_rng_below(&rng, 60 * PAGES_A_DAY);
        const click_page page = draw_page(plan, &rng, number);

        for (size_t place = 0; place < page.shown; place++) {
            make_row(plan, &page, place, &row);
            sample->scores[part][sample->counts[part]++] = row.score;
        }
    }
}

static double rate_with(const click_sample *sample, double bias)
{
    double sum = 0.0, count = 0.0;

    for (size_t part = 0; part < SAMPLE_PARTS; part++) {
        for (size_t i = 0; i < sample->counts[part]; i++)
            sum += gr_logistic(bias + sample->scores[part][i]);
        count += (double)sample->counts[part];
    }
    return sum / count;
}

/* Finds the intercept that gives the requested click rate, by bisection. */
static gradus_status find_bias(clicks_plan *plan, gr_pool *pool, gradus_error *err)
{
    click_sample *sample = calloc(1, sizeof *sample);
    double low = -40.0, high = 40.0;

    if (!sample)
        return gr_fail_memory(err, "sampled clicks");
    sample->plan = plan;
    gr_pool_run(pool, SAMPLE_PARTS, draw_scores, sample);
    while (high - low > 1e-4) {
        const double middle = (low + high) / 2.0;

        if (rate_with(sample, middle) < plan->options.rate)
            low = middle;
        else
            high = middle;
    }
    plan->bias = (low + high) / 2.0;
    free(sample);
    return GRADUS_OK;
}

static gradus_status clicks_prepare(const void *values, gr_pool *pool, gr_synth_shape *shape,
                                    void **made, gradus_error *err)
{
    const clicks_options *options = values;
    clicks_plan *plan = calloc(1, sizeof *plan);

    *made = plan;
    if (!plan)
        return gr_fail_memory(err, "a synthetic set");
    plan->options = *options;
    plan->weights = gr_rng_for(options->seed, "clicks weights", 0);
    plan->vocabulary = gr_zipf_of(VOCABULARY, 10.0);
    plan->ads = gr_zipf_of(ADS, 30.0);
    plan->users = gr_zipf_of(USERS, 50.0);
    *shape = (gr_synth_shape){ (size_t)options->features, true, options->queries,
                               options->first_query, 1024 };
    return find_bias(plan, pool, err);
}

static gradus_status clicks_make(const void *made, uint64_t number, gr_synth_block *block,
                                 gradus_error *err)
{
    const clicks_plan *plan = made;
    gr_rng rng = gr_rng_for(plan->options.seed, "clicks page", number);
    const click_page page = draw_page(plan, &rng, number);
    gr_synth_query query;
    click_row row;

    GR_TRY(gr_synth_begin(block, number, 0, &query, err));
    for (size_t place = 0; place < page.shown; place++) {
        make_row(plan, &page, place, &row);
        const bool clicked = gr_draw_uniform(&rng) < gr_logistic(plan->bias + row.score);

        GR_TRY(gr_synth_add_row(block, clicked ? 1.0f : 0.0f, row.columns, row.entries, row.count,
                                err));
    }
    return GRADUS_OK;
}

const gr_synth gr_synth_clicks = {
    .about = { .name = "clicks",
               .summary = "clicks on advertisements: sparse, rare, in time order",
               .details =
                   "Each row is an advertisement on a page of search results; each query is a "
                   "page, and pages are in time order, 5,000 per day. About 25 columns are "
                   "nonzero: position on the page, hour, user, query terms, advertisement, "
                   "advertiser, advertisement terms with tf-idf-like weights, and pairs of these, "
                   "all hashed into the columns; collisions add up. The popularity of categories "
                   "follows Zipf's law (1/rank). Label 1 is a click, drawn with probability "
                   "1/(1+exp(-s)), where s is linear in the categories. The intercept of s is set "
                   "so that the mean over 60 days is the requested rate; a period of a few days is "
                   "within about 10% of it. Over time the appeal of an advertisement drifts, and "
                   "advertisements are replaced by new ones. Later rows (--first-query) serve as "
                   "the test set of earlier ones. Modelled on the data of Sculley, \"Combined "
                   "regression and ranking\" (2010)." },
    .operation = &gr_operation_synth_clicks,
    .prepare = clicks_prepare,
    .make = clicks_make,
    .end = free,
};
