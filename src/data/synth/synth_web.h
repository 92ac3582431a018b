/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated web search of "synth web": queries, pages with hidden traits, and the 136 features
 * that a search engine would compute for them. */
#ifndef GR_DATA_SYNTH_SYNTH_WEB_H
#define GR_DATA_SYNTH_SYNTH_WEB_H

#include "base/rng.h"

enum { GR_WEB_TERMS = 6, GR_WEB_FEATURES = 136 };

/* The fields of a page in which terms are counted; the whole page is their sum. */
enum { GR_WEB_BODY, GR_WEB_ANCHOR, GR_WEB_TITLE, GR_WEB_URL, GR_WEB_WHOLE, GR_WEB_STREAMS };

typedef struct gr_web_query {
    int terms;
    double rarity[GR_WEB_TERMS];              /* approximate idf of the terms */
    double idf[GR_WEB_STREAMS][GR_WEB_TERMS]; /* in each stream */
    double background[GR_WEB_TERMS];          /* fraction of all tokens */
    double shift;                             /* added to the relevance of all its pages */
    double noise;                             /* standard deviation of the relevance that
                                                 features do not explain */
    double popularity;                        /* log query frequency, which affects clicks */
} gr_web_query;

/* The hidden traits of a page for a query, each about standard normal. Features reflect them with
 * noise. */
typedef struct gr_web_page {
    double topic;     /* how well its topic fits the query */
    double match[4];  /* in body, anchor, title, URL: the topic plus independent variation */
    double authority; /* how much others link to it */
    double spam;      /* how much it is stuffed with unrelated terms */
    double relevance;
} gr_web_page;

/* noise scales the noise of the queries; 1 is the default. */
gr_web_query gr_web_draw_query(gr_rng *rng, double noise);
gr_web_page gr_web_draw_page(gr_rng *rng, const gr_web_query *query);

/* synth_web_features.c */
/* Simulates the text, links and clicks of the page; writes GR_WEB_FEATURES numbers. */
void gr_web_features(gr_rng *rng, const gr_web_query *query, const gr_web_page *page,
                     float *features);

#endif
