/* SPDX-License-Identifier: Apache-2.0 */
/* The features of "synth web". A text is represented by the frequency of each query term in it; all
 * other features are derived from that, so that they are correlated as in real data. */
#include "data/synth/synth_web.h"

#include "data/synth/synth_draw.h"

/* Groups of five features, one per stream, in the order of MSLR-WEB. */
enum {
    COVERED,
    COVERED_RATIO,
    LENGTH,
    IDF,
    TF, /* five groups: sum, minimum, maximum, mean, variance */
    NORMALISED_TF = TF + 5,
    TF_IDF = NORMALISED_TF + 5,
    BOOLEAN = TF_IDF + 5,
    VECTOR_SPACE,
    BM25,
    LM_ABSOLUTE,
    LM_DIRICHLET,
    LM_JELINEK,
    GROUPS
};

/* Features of the page alone come after the groups. */
enum {
    SLASHES = GROUPS * GR_WEB_STREAMS,
    URL_LENGTH,
    INLINKS,
    OUTLINKS,
    PAGE_RANK,
    SITE_RANK,
    QUALITY,
    QUALITY_2,
    QUERY_CLICKS,
    URL_CLICKS,
    DWELL,
    END
};
_Static_assert((int)END == (int)GR_WEB_FEATURES, "the features are 136");

typedef struct page_text {
    double length[GR_WEB_STREAMS];
    double tf[GR_WEB_STREAMS][GR_WEB_TERMS];
} page_text;

static void draw_lengths(gr_rng *rng, const gr_web_page *page, double *length)
{
    const double linked = gr_draw_uniform(rng);

    length[GR_WEB_BODY] = floor(gr_exp(6.0 + 0.9 * gr_draw_normal(rng))) + 1.0;
    length[GR_WEB_TITLE] = 1.0 + gr_draw_poisson(rng, 6.0);
    length[GR_WEB_URL] = 2.0 + gr_draw_poisson(rng, 5.0);
    length[GR_WEB_ANCHOR] = 0.0;
    if (linked < gr_logistic(0.2 + 1.2 * page->authority))
        length[GR_WEB_ANCHOR] =
            floor(gr_exp(1.5 + 0.5 * page->authority + gr_draw_normal(rng))) + 1.0;
}

/* The expected count of a term in a stream, which increases with length, frequency of the term and
 * match. Spam repeats terms regardless of the topic. */
static double rate_of(const gr_web_query *query, const gr_web_page *page, int stream, int term,
                      double length)
{
    static const double base[] = { 0.007, 0.05, 0.05, 0.03 };
    static const double slope[] = { 0.9, 0.7, 0.7, 0.7 };
    const double common = -0.12 * (query->rarity[term] - 5.5);
    const double stuffed = stream == GR_WEB_BODY ? 0.4 * page->spam : 0.0;
    const double rate =
        length * base[stream] * gr_exp(slope[stream] * page->match[stream] + common + stuffed);

    return rate < length ? rate : length;
}

static void draw_text(gr_rng *rng, const gr_web_query *query, const gr_web_page *page,
                      page_text *text)
{
    draw_lengths(rng, page, text->length);
    text->length[GR_WEB_WHOLE] = 0.0;
    for (int t = 0; t < query->terms; t++)
        text->tf[GR_WEB_WHOLE][t] = 0.0;
    for (int s = 0; s < GR_WEB_WHOLE; s++) {
        const double length = text->length[s];

        text->length[GR_WEB_WHOLE] += length;
        for (int t = 0; t < query->terms; t++) {
            const double accident = 0.35 + 1.3 * gr_draw_uniform(rng);
            const double count =
                length > 0.0 ? gr_draw_poisson(rng, accident * rate_of(query, page, s, t, length))
                             : 0.0;

            text->tf[s][t] = count < length ? count : length;
            text->tf[GR_WEB_WHOLE][t] += text->tf[s][t];
        }
    }
}

/* Writes sum, minimum, maximum, mean and variance, each in a separate group. */
static void put_statistics(float *features, int group, int stream, const double *values, int count)
{
    double sum = 0.0, least = values[0], most = values[0], squares = 0.0;

    for (int t = 0; t < count; t++) {
        sum += values[t];
        least = values[t] < least ? values[t] : least;
        most = values[t] > most ? values[t] : most;
    }
    const double mean = sum / count;

    for (int t = 0; t < count; t++)
        squares += (values[t] - mean) * (values[t] - mean);
    const double all[] = { sum, least, most, mean, squares / count };

    for (int i = 0; i < 5; i++)
        features[(group + i) * GR_WEB_STREAMS + stream] = gr_round_digits(all[i]);
}

static void put(float *features, int group, int stream, double value)
{
    features[group * GR_WEB_STREAMS + stream] = gr_round_digits(value);
}

static void put_counts(float *features, const gr_web_query *query, const page_text *text, int s)
{
    const int terms = query->terms;
    const double length = text->length[s] > 0.0 ? text->length[s] : 1.0;
    double normalised[GR_WEB_TERMS], weighted[GR_WEB_TERMS], idf = 0.0;
    int covered = 0;

    for (int t = 0; t < terms; t++) {
        covered += text->tf[s][t] > 0.0;
        idf += query->idf[s][t];
        normalised[t] = text->tf[s][t] / length;
        weighted[t] = text->tf[s][t] * query->idf[s][t];
    }
    put(features, COVERED, s, covered);
    put(features, COVERED_RATIO, s, (double)covered / terms);
    put(features, LENGTH, s, text->length[s]);
    put(features, IDF, s, idf);
    put_statistics(features, TF, s, text->tf[s], terms);
    put_statistics(features, NORMALISED_TF, s, normalised, terms);
    put_statistics(features, TF_IDF, s, weighted, terms);
    put(features, BOOLEAN, s, covered == terms);
}

/* Writes cosine similarity, BM25 (k1 1.2, b 0.75), and query likelihood with absolute discounting
 * (0.7), Dirichlet (2000) and Jelinek-Mercer (0.1) smoothing. */
static void put_models(float *features, const gr_web_query *query, const page_text *text, int s)
{
    static const double usual_length[] = { 600.0, 10.0, 7.0, 7.0, 625.0 };
    const double length = text->length[s], divisor = length > 0.0 ? length : 1.0;
    const double slow = 1.2 * (0.25 + 0.75 * length / usual_length[s]);
    double dot = 0.0, norm = 0.0, bm25 = 0.0, absolute = 1.0, dirichlet = 1.0, jelinek = 1.0;

    for (int t = 0; t < query->terms; t++) {
        const double tf = text->tf[s][t], idf = query->idf[s][t], chance = query->background[t];

        dot += tf * idf * idf;
        norm += idf * idf;
        bm25 += idf * tf * 2.2 / (tf + slow);
        absolute *= (tf > 0.7 ? tf - 0.7 : 0.0) / divisor + 0.5 * chance;
        dirichlet *= (tf + 2000.0 * chance) / (length + 2000.0);
        jelinek *= 0.9 * tf / divisor + 0.1 * chance;
    }
    put(features, VECTOR_SPACE, s, dot / sqrt(norm * divisor));
    put(features, BM25, s, bm25);
    put(features, LM_ABSOLUTE, s, gr_log(absolute));
    put(features, LM_DIRICHLET, s, gr_log(dirichlet));
    put(features, LM_JELINEK, s, gr_log(jelinek));
}

static double heavy(gr_rng *rng, double level, double spread, double most)
{
    const double draw = floor(gr_exp(level + spread * gr_draw_normal(rng)));

    return draw < most ? draw : most;
}

static void put_page(gr_rng *rng, const gr_web_query *query, const gr_web_page *page,
                     float *features)
{
    const double a = page->authority;
    const double clicks =
        gr_draw_poisson(rng, gr_exp(0.6 * page->relevance + query->popularity - 3.5));

    features[SLASHES] = (float)(1.0 + gr_draw_poisson(rng, 2.0));
    features[URL_LENGTH] = (float)(12.0 + heavy(rng, 3.2, 0.5, 500.0));
    features[INLINKS] = (float)heavy(rng, 1.2 * a - 0.5, 1.5, 1e6);
    features[OUTLINKS] = (float)heavy(rng, 2.0, 1.5, 1e5);
    features[PAGE_RANK] = (float)heavy(rng, 5.0 + 1.4 * a, 1.2, 65535.0);
    features[SITE_RANK] = (float)heavy(rng, 7.0 + 0.9 * a, 1.5, 65535.0);
    features[QUALITY] =
        (float)floor(256.0 * gr_logistic(0.6 * a - page->spam + gr_draw_normal(rng)));
    features[QUALITY_2] =
        (float)floor(256.0 * gr_logistic(-1.0 - 0.6 * page->spam + gr_draw_normal(rng)));
    features[QUERY_CLICKS] = (float)clicks;
    features[URL_CLICKS] = (float)(clicks + heavy(rng, 0.8 * a - 1.0, 2.5, 1e6));
    if (clicks > 0.0)
        features[DWELL] =
            gr_round_digits(gr_exp(3.0 + 0.4 * page->relevance + 0.7 * gr_draw_normal(rng)));
}

void gr_web_features(gr_rng *rng, const gr_web_query *query, const gr_web_page *page,
                     float *features)
{
    page_text text;

    draw_text(rng, query, page, &text);
    for (int s = 0; s < GR_WEB_STREAMS; s++) {
        put_counts(features, query, &text, s);
        put_models(features, query, &text, s);
    }
    put_page(rng, query, page, features);
}
