/* SPDX-License-Identifier: Apache-2.0 */
/* The presets. The behaviour of each tool was read from its source or determined by running it.
 * relevant_most is finite where a script has a table of labels and treats others as irrelevant. */
#include "metrics/convention.h"

#include <math.h>

const gr_convention gr_convention_gradus = {
    .about = { .name = "gradus",
               .summary = "the default: exact expectation over ties, empty queries skipped",
               .details =
                   "Gain 2^y - 1, discount 1/log2(1 + i). Queries without relevant documents "
                   "are skipped and counted. A list shorter than k is padded with irrelevant "
                   "documents. Ties are averaged exactly over all orders, so no result depends "
                   "on the order of the file. MAP divides by the number of relevant documents. "
                   "K of ERR is the largest label in the data." },
    .gain = GR_GAIN_EXP,
    .discount = GR_DISCOUNT_LOG2,
    .empty = GR_EMPTY_SKIP,
    .empty_map = GR_EMPTY_SKIP,
    .short_lists = GR_SHORT_PAD,
    .short_lists_p = GR_SHORT_PAD,
    .ties = GR_TIES_EXPECTED,
    .relevant = 1.0,
    .relevant_most = INFINITY,
};

const gr_convention gr_convention_letor3 = {
    .about = { .name = "letor3",
               .summary = "Eval-Score-3.0.pl, the script of LETOR 3.0",
               .details =
                   "Gains 0, 1, 3 for labels 0, 1, 2; other labels have no gain and are not "
                   "relevant. Ranks 1 and 2 are not discounted, rank i > 2 by 1/log2(i). "
                   "NDCG@k and P@k are 0 for a query with fewer than k documents; queries "
                   "without relevant documents count 0. Ties in input order. MAP treats labels "
                   "1 and 2 as relevant and divides by the number of them in the list." },
    .gain = GR_GAIN_LETOR,
    .discount = GR_DISCOUNT_LETOR,
    .empty = GR_EMPTY_ZERO,
    .empty_map = GR_EMPTY_ZERO,
    .short_lists = GR_SHORT_ZERO,
    .short_lists_p = GR_SHORT_ZERO,
    .ties = GR_TIES_INPUT,
    .relevant = 1.0,
    .relevant_most = 2.0,
};

const gr_convention gr_convention_letor4 = {
    .about = { .name = "letor4",
               .summary = "Eval-Score-4.0.pl, the script of LETOR 4.0",
               .details =
                   "As letor3, but P@k pads short lists with irrelevant documents. NDCG@k is "
                   "still 0 for a query with fewer than k documents, which is most queries of "
                   "MQ2008 at k = 10. Its MeanNDCG is the metric mean-ndcg." },
    .gain = GR_GAIN_LETOR,
    .discount = GR_DISCOUNT_LETOR,
    .empty = GR_EMPTY_ZERO,
    .empty_map = GR_EMPTY_ZERO,
    .short_lists = GR_SHORT_ZERO,
    .short_lists_p = GR_SHORT_PAD,
    .ties = GR_TIES_INPUT,
    .relevant = 1.0,
    .relevant_most = 2.0,
};

const gr_convention gr_convention_mslr = {
    .about = { .name = "mslr",
               .summary = "eval-score-mslr.pl, the script of MSLR-WEB10K and WEB30K",
               .details =
                   "As letor4 with gains 0, 1, 3, 7, 15 for labels 0 to 4, and labels 2 to 4 "
                   "relevant for MAP and P. (The relevance threshold is taken from the only "
                   "public copy of the script that was found.)" },
    .gain = GR_GAIN_MSLR,
    .discount = GR_DISCOUNT_LETOR,
    .empty = GR_EMPTY_ZERO,
    .empty_map = GR_EMPTY_ZERO,
    .short_lists = GR_SHORT_ZERO,
    .short_lists_p = GR_SHORT_PAD,
    .ties = GR_TIES_INPUT,
    .relevant = 2.0,
    .relevant_most = 4.0,
};

const gr_convention gr_convention_yahoo = {
    .about = { .name = "yahoo",
               .summary = "the Yahoo! Learning to Rank Challenge of 2010 (a documented guess)",
               .details =
                   "A guess: the challenge's evaluation program is not public. From its "
                   "overview (Chapelle and Chang 2011): gain 2^y - 1, discount 1/log2(1 + i), "
                   "ERR with grades 0 to 4 (R = (2^y - 1)/16). From a remark in QuickRank's "
                   "source: NDCG of a query without relevant documents is 1/2. Unknown, and "
                   "set as in most tools: short lists are padded, ties in input order." },
    .gain = GR_GAIN_EXP,
    .discount = GR_DISCOUNT_LOG2,
    .empty = GR_EMPTY_HALF,
    .empty_map = GR_EMPTY_ZERO,
    .short_lists = GR_SHORT_PAD,
    .short_lists_p = GR_SHORT_PAD,
    .ties = GR_TIES_INPUT,
    .relevant = 1.0,
    .relevant_most = INFINITY,
    .max_grade = 4,
};

const gr_convention gr_convention_trec = {
    .about = { .name = "trec",
               .summary = "trec_eval: linear gain, ties by document id, all judged documents count",
               .details =
                   "As trec_eval (10.0) computes ndcg, ndcg_cut, map, map_cut, P, recall, "
                   "recip_rank and bpref: the gain is the label; the ideal ranking is over all "
                   "judged documents, retrieved or not; ties are broken by descending document "
                   "id; unjudged documents are irrelevant; topics without relevant documents "
                   "count 0; P@k divides by k, MAP by all judged relevant documents. "
                   "--complete averages over all topics of the judgements (trec_eval -c). "
                   "Without document ids, ties are in input order." },
    .gain = GR_GAIN_LINEAR,
    .discount = GR_DISCOUNT_LOG2,
    .empty = GR_EMPTY_ZERO,
    .empty_map = GR_EMPTY_ZERO,
    .short_lists = GR_SHORT_PAD,
    .short_lists_p = GR_SHORT_PAD,
    .ties = GR_TIES_DOCNO,
    .relevant = 1.0,
    .relevant_most = INFINITY,
};

const gr_convention gr_convention_lightgbm = {
    .about = { .name = "lightgbm",
               .summary = "LightGBM's ndcg and map (label_gain at its default)",
               .details =
                   "Gain 2^y - 1, discount 1/log2(1 + i). Queries without relevant documents "
                   "count 1. For a list shorter than k, k becomes its length. Ties in input "
                   "order (a stable sort). MAP@k divides by min(relevant, k); labels above 0.5 "
                   "are relevant. With query weights LightGBM adds 1, not the weight, for a "
                   "query without relevant documents; that is not reproduced." },
    .gain = GR_GAIN_EXP,
    .discount = GR_DISCOUNT_LOG2,
    .empty = GR_EMPTY_ONE,
    .empty_map = GR_EMPTY_ONE,
    .short_lists = GR_SHORT_CUT,
    .short_lists_p = GR_SHORT_CUT,
    .ties = GR_TIES_INPUT,
    .divisor = GR_DIVISOR_DEPTH,
    .relevant = 0.5,
    .relevant_above = true,
    .relevant_most = INFINITY,
};

const gr_convention gr_convention_xgboost = {
    .about = { .name = "xgboost",
               .summary = "XGBoost's ndcg, map and pre",
               .details =
                   "Gain 2^y - 1 (ndcg_exp_gain=0: --gain linear), discount 1/log2(1 + i). "
                   "Queries without relevant documents count 1 in ndcg and map; XGBoost's "
                   "'ndcg@k-' is --empty zero. For a list shorter than k, k becomes its "
                   "length, but pre@k divides by k. Ties in input order. MAP@k divides by "
                   "min(relevant, k), as since XGBoost 2; version 1.7 divides by all relevant "
                   "documents: --map-divisor relevant." },
    .gain = GR_GAIN_EXP,
    .discount = GR_DISCOUNT_LOG2,
    .empty = GR_EMPTY_ONE,
    .empty_map = GR_EMPTY_ONE,
    .short_lists = GR_SHORT_PAD,
    .short_lists_p = GR_SHORT_PAD,
    .ties = GR_TIES_INPUT,
    .divisor = GR_DIVISOR_DEPTH,
    .relevant = 0.0,
    .relevant_above = true,
    .relevant_most = INFINITY,
};

const gr_convention gr_convention_catboost = {
    .about = { .name = "catboost",
               .summary = "CatBoost's NDCG (type=Base), MAP, ERR and MRR",
               .details =
                   "The gain is the label (type=Exp: --gain exp), discount 1/log2(1 + i). "
                   "Queries without relevant documents count 1 in NDCG and recall, 0 in MAP. "
                   "For a list shorter than k, k becomes its length. Ties are pessimistic: the "
                   "lower label first. MAP@k divides by the relevant documents in the top k "
                   "(border 0.5). ERR uses the label itself as the stopping probability; if "
                   "labels exceed 1, that is meaningless, and they are treated as grades, as "
                   "in the other conventions. CatBoost's PrecisionAt and RecallAt also require "
                   "a score above the border; p and recall do not." },
    .gain = GR_GAIN_LINEAR,
    .discount = GR_DISCOUNT_LOG2,
    .empty = GR_EMPTY_ONE,
    .empty_map = GR_EMPTY_ZERO,
    .short_lists = GR_SHORT_CUT,
    .short_lists_p = GR_SHORT_CUT,
    .ties = GR_TIES_PESSIMISTIC,
    .divisor = GR_DIVISOR_FOUND,
    .stop = GR_STOP_LABEL,
    .relevant = 0.5,
    .relevant_above = true,
    .relevant_most = INFINITY,
};

const gr_convention gr_convention_ranklib = {
    .about = { .name = "ranklib",
               .summary = "RankLib's NDCG@k, DCG@k, ERR@k, MAP, P@k and RR@k",
               .details =
                   "Gain 2^y - 1, discount 1/log2(1 + i). Queries without relevant documents "
                   "count 0. For a list shorter than k, k becomes its length, also in P@k. "
                   "Ties in input order (its merge sort is stable). MAP ignores the cutoff, "
                   "uses the whole list and divides by the relevant documents in it. ERR uses "
                   "grades 0 to 4 whatever the data (-gmax: --max-grade)." },
    .gain = GR_GAIN_EXP,
    .discount = GR_DISCOUNT_LOG2,
    .empty = GR_EMPTY_ZERO,
    .empty_map = GR_EMPTY_ZERO,
    .short_lists = GR_SHORT_CUT,
    .short_lists_p = GR_SHORT_CUT,
    .ties = GR_TIES_INPUT,
    .whole_map = true,
    .relevant = 0.0,
    .relevant_above = true,
    .relevant_most = INFINITY,
    .max_grade = 4,
};

static const gr_convention *const conventions[] = {
#define GR_CONVENTION(name) &gr_convention_##name,
#include "metrics/conventions.def"
#undef GR_CONVENTION
};

const char *const gr_convention_names[] = {
#define GR_CONVENTION(name) #name,
#include "metrics/conventions.def"
#undef GR_CONVENTION
    NULL
};

const gr_convention *gr_convention_number(size_t index)
{
    return index < sizeof conventions / sizeof conventions[0] ? conventions[index] : NULL;
}

const gr_about *gr_conventions_at(size_t index)
{
    const gr_convention *convention = gr_convention_number(index);

    return convention ? &convention->about : NULL;
}
