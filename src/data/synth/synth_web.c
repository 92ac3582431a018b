/* SPDX-License-Identifier: Apache-2.0 */
/* A set like those of web search engines: queries of varying size and difficulty, pages with hidden
 * traits, and features computed from a simulated text. Feature layout and grade frequencies follow
 * MSLR-WEB (Qin and Liu, 2013). */
#include "data/synth/synth_web.h"

#include "data/synth/synth.h"
#include "data/synth/synth_draw.h"
#include "data/synth/synth_grades.h"

#include <stdlib.h>

typedef struct web_options {
    uint64_t queries, documents;
    double noise;
    const char *shares;
    uint64_t first_query, seed;
} web_options;

static const gr_param web_params[] = {
    GR_PARAM_COUNT(web_options, queries, "queries", "N", 1000, 1, GR_SYNTH_MAX,
                   "number of queries"),
    GR_PARAM_COUNT(web_options, documents, "documents", "N", 120, 1, 10000,
                   "mean documents per query; a query has from 1 to 10 N documents"),
    GR_PARAM_REAL(web_options, noise, "noise", "X", 1, 0, 100,
                  "noise in the relevance that no feature explains, relative to the default"),
    GR_PARAM_TEXT(web_options, shares, "grade-fractions", "LIST", "52,32,13,2,1",
                  "relative frequency of each grade, lowest first"),
    GR_PARAM_COUNT(web_options, first_query, "first-query", "N", 1, 1, GR_SYNTH_MAX,
                   "number of the first query; other numbers give other queries"),
    GR_PARAM_COUNT(web_options, seed, "seed", "N", 1, 0, 18446744073709551615.0,
                   "random seed; the set depends only on it and the other options"),
    GR_PARAM_END,
};

const gr_operation gr_operation_synth_web = {
    .name = "synth web",
    .summary = "like web search: 136 features of mixed kinds, queries of varying difficulty",
    .params = web_params,
    .size = sizeof(web_options),
};

typedef struct web_plan {
    web_options options;
    gr_grades grades;
} web_plan;

static int draw_terms(gr_rng *rng)
{
    static const double below[] = { 0.15, 0.45, 0.70, 0.85, 0.95 }; /* 1 to 6 terms */
    const double u = gr_draw_uniform(rng);
    int terms = 1;

    while (terms < GR_WEB_TERMS && u > below[terms - 1])
        terms++;
    return terms;
}

gr_web_query gr_web_draw_query(gr_rng *rng, double noise)
{
    gr_web_query query = { .terms = draw_terms(rng) };

    for (int t = 0; t < query.terms; t++) {
        query.rarity[t] = 1.5 + 8.0 * gr_draw_uniform(rng);
        query.background[t] = 0.02 * gr_exp(-0.8 * query.rarity[t]);
        for (int s = 0; s < GR_WEB_STREAMS; s++)
            query.idf[s][t] =
                query.rarity[t] + (s == GR_WEB_WHOLE ? 0.0 : 0.6 * s) + 0.3 * gr_draw_normal(rng);
    }
    query.noise = noise * 0.65 * gr_exp(0.4 * gr_draw_normal(rng));
    query.shift = 0.6 * gr_draw_normal(rng);
    if (gr_draw_uniform(rng) < 0.03) /* no page answers it */
        query.shift -= 4.0;
    query.popularity = 1.5 * gr_draw_normal(rng);
    return query;
}

/* Smooth minimum: both traits are required. */
static double both(double a, double b)
{
    return -gr_log(gr_exp(-1.5 * a) + gr_exp(-1.5 * b)) / 1.5;
}

/* A query with few terms looks for a site, which needs authority and a matching URL. A query with
 * many terms looks for an answer: the topic in body and title, on a page that is not spam. */
static double relevance_of(const gr_web_page *page, const gr_web_query *query)
{
    const double site = gr_logistic(2.0 * (2.5 - query->terms));
    const double about = 0.6 * page->topic + 0.6 * page->match[GR_WEB_TITLE];
    const double for_site = both(page->authority, page->match[GR_WEB_URL]);
    const double for_answer = both(about, 0.5 * page->authority - 0.8 * page->spam);

    return 1.3 * (site * for_site + (1.0 - site) * for_answer) + query->shift;
}

gr_web_page gr_web_draw_page(gr_rng *rng, const gr_web_query *query)
{
    gr_web_page page = { .topic = gr_draw_normal(rng) };

    page.authority = gr_draw_normal(rng);
    page.spam = gr_draw_normal(rng);
    for (int s = 0; s < 4; s++)
        page.match[s] = 0.6 * page.topic + 0.8 * gr_draw_normal(rng);
    page.relevance = relevance_of(&page, query) + query->noise * gr_draw_normal(rng);
    return page;
}

/* Samples four pages of each of 250 queries. The number of pages of a query is independent of the
 * rest, so a fixed number suffices. */
static void draw_relevances(const void *made, size_t part, double *out)
{
    const web_plan *plan = made;
    gr_rng rng = gr_rng_for(plan->options.seed, "web cuts", part);
    gr_web_query query = { 0 };

    for (size_t i = 0; i < GR_GRADE_PART; i++) {
        if (i % 4 == 0)
            query = gr_web_draw_query(&rng, plan->options.noise);
        out[i] = gr_web_draw_page(&rng, &query).relevance;
    }
}

static gradus_status web_prepare(const void *values, gr_pool *pool, gr_synth_shape *shape,
                                 void **made, gradus_error *err)
{
    const web_options *options = values;
    web_plan *plan = calloc(1, sizeof *plan);

    *made = plan;
    if (!plan)
        return gr_fail_memory(err, "a synthetic set");
    plan->options = *options;
    GR_TRY(gr_grades_parse(&plan->grades, options->shares, err));
    *shape = (gr_synth_shape){ GR_WEB_FEATURES, false, options->queries, options->first_query,
                               options->documents < 4096 ? 4096 / options->documents : 1 };
    return gr_grades_cut(&plan->grades, draw_relevances, plan, pool, err);
}

/* Log-normal with the given mean. */
static size_t draw_documents(gr_rng *rng, double mean)
{
    const double spread = 0.9;
    const double draw =
        nearbyint(mean * gr_exp(spread * gr_draw_normal(rng) - spread * spread / 2.0));

    return draw < 1.0 ? 1 : draw > 10.0 * mean ? (size_t)(10.0 * mean) : (size_t)draw;
}

static gradus_status web_make(const void *made, uint64_t number, gr_synth_block *block,
                              gradus_error *err)
{
    const web_plan *plan = made;
    gr_rng rng = gr_rng_for(plan->options.seed, "web query", number);
    const gr_web_query query = gr_web_draw_query(&rng, plan->options.noise);
    const size_t rows = draw_documents(&rng, (double)plan->options.documents);
    gr_synth_query made_rows;

    GR_TRY(gr_synth_begin(block, number, rows, &made_rows, err));
    for (size_t r = 0; r < rows; r++) {
        const gr_web_page page = gr_web_draw_page(&rng, &query);

        made_rows.labels[r] = (float)gr_grade_of(&plan->grades, page.relevance);
        gr_web_features(&rng, &query, &page, made_rows.values + r * GR_WEB_FEATURES);
    }
    return GRADUS_OK;
}

const gr_synth gr_synth_web = {
    .about = { .name = "web",
               .summary = "like web search: 136 features of mixed kinds, about 120 pages per query",
               .details =
                   "A small simulated web search. A page has hidden traits: how well it fits the "
                   "query, overall and in body, anchor, title and URL; authority; spam. Its "
                   "relevance is a smooth function of them, with a shift and noise that vary by "
                   "query, and is divided into grades with the given frequencies over the whole "
                   "set; some queries have no relevant page. The features are statistics of a "
                   "simulated text, links and clicks in the layout of MSLR-WEB: counts and ratios "
                   "of covered terms, lengths, idf (constant within a query), sums, minima, "
                   "maxima, means and variances of term frequency, BM25, language models, each "
                   "for body, anchor, title, URL and the whole page; then URL, links, ranks, "
                   "quality and clicks. Counts are whole numbers; reals have at most six digits. "
                   "docs/formats/synthetic.md has the formulas." },
    .operation = &gr_operation_synth_web,
    .prepare = web_prepare,
    .make = web_make,
    .end = free,
};
