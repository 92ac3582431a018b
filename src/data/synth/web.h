/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated web search behind "synth web": queries, pages with hidden traits, and the 136
 * features that a search engine would compute of them. */
#ifndef GR_DATA_SYNTH_WEB_H
#define GR_DATA_SYNTH_WEB_H

#include "base/rng.h"

enum { GR_WEB_TERMS = 6, GR_WEB_FEATURES = 136 };

/* The parts of a page in which terms are counted; the whole page is their sum. */
enum { GR_WEB_BODY, GR_WEB_ANCHOR, GR_WEB_TITLE, GR_WEB_URL, GR_WEB_WHOLE, GR_WEB_STREAMS };

typedef struct gr_web_query {
    int terms;
    double rarity[GR_WEB_TERMS];              /* the terms' idf, about */
    double idf[GR_WEB_STREAMS][GR_WEB_TERMS]; /* in each stream */
    double background[GR_WEB_TERMS];          /* share of all tokens */
    double shift;                             /* added to the relevance of all its pages */
    double noise;                             /* standard deviation of what features cannot tell */
    double popularity;                        /* log of how often it is asked: clicks */
} gr_web_query;

/* What a page is to a query, each about standard normal. Features show it through noise. */
typedef struct gr_web_page {
    double topic;     /* is it about the query */
    double match[4];  /* in body, anchor, title, url: the topic, and their own accident */
    double authority; /* do others link to it */
    double spam;      /* stuffed with terms it is not about */
    double relevance;
} gr_web_page;

/* noise scales the queries' own; 1 is the usual. */
gr_web_query gr_web_draw_query(gr_rng *rng, double noise);
gr_web_page gr_web_draw_page(gr_rng *rng, const gr_web_query *query);

/* Simulates the text of the page and its links and clicks; writes GR_WEB_FEATURES numbers. */
void gr_web_features(gr_rng *rng, const gr_web_query *query, const gr_web_page *page,
                     float *features);

#endif
