/* SPDX-License-Identifier: Apache-2.0 */
/* Interventional Shapley values of trees against one reference row. */
#include "explain/shap_against.h"

#include "base/memory.h"

#include <stdlib.h>

enum { TABLE = 32 };

typedef enum decided { BY_NEITHER, BY_ROW, BY_REFERENCE } decided;

/* What the leaves below a node give to a feature decided by the row, and by the reference. */
typedef struct leaf_sums {
    double row, reference;
} leaf_sums;

/* A split where the two rows separate, while one of its sides is walked. */
typedef struct branch {
    const gr_split *split;
    int32_t other;    /* the reference's side */
    leaf_sums before; /* of the row's side, once it has been walked */
} branch;

struct gr_against {
    uint8_t *state;   /* per feature: decided */
    branch *branches; /* stack */
    double weights[TABLE][TABLE];
};

/* p! q! / (p + q + 1)! */
static double weight_of(size_t p, size_t q)
{
    const size_t low = p < q ? p : q, high = p < q ? q : p;
    double weight = 1.0 / (double)(p + q + 1);

    for (size_t i = 1; i <= low; i++)
        weight *= (double)i / (double)(high + i);
    return weight;
}

static double weight_at(const gr_against *against, size_t p, size_t q)
{
    return p < TABLE && q < TABLE ? against->weights[p][q] : weight_of(p, q);
}

gr_against *gr_against_new(const gr_forest *forest, gradus_error *err)
{
    gr_against *against = gr_new_array(1, sizeof *against);
    size_t most = 0;

    for (size_t t = 0; t < forest->trees; t++) {
        const size_t splits = (size_t)(forest->starts[t + 1] - forest->starts[t]);

        most = splits > most ? splits : most;
    }
    most = most < forest->features ? most : forest->features; /* each feature separates once */
    if (against) {
        against->state = gr_new_array(forest->features, sizeof *against->state);
        against->branches = gr_new_array(most, sizeof *against->branches);
    }
    if (!against || !against->state || !against->branches) {
        gr_against_free(against);
        gr_fail_memory(err, "explanations");
        return NULL;
    }
    for (size_t p = 0; p < TABLE; p++)
        for (size_t q = 0; q < TABLE; q++)
            against->weights[p][q] = weight_of(p, q);
    return against;
}

void gr_against_free(gr_against *against)
{
    if (!against)
        return;
    free(against->state);
    free(against->branches);
    free(against);
}

static bool goes_left(const gr_split *split, float value)
{
    return value < split->threshold || (value != value && split->missing_left);
}

static int32_t child_of(const gr_split *split, bool left)
{
    return left ? split->left : split->right;
}

/* The walk of one tree. */
typedef struct walk {
    gr_against *against;
    const gr_split *splits;
    const float *row, *reference;
    size_t depth;                /* branches on the stack */
    size_t by_row, by_reference; /* features decided by one of them on the current path */
} walk;

/* Goes down to a leaf, on the row's side of new branches; returns its number. */
static size_t descend(walk *w, int32_t at)
{
    gr_against *a = w->against;

    while (at >= 0) {
        const gr_split *split = &w->splits[at];
        const bool left = goes_left(split, w->row[split->feature]);
        const bool reference_left = goes_left(split, w->reference[split->feature]);
        const uint8_t state = a->state[split->feature];

        if (left != reference_left && state == BY_NEITHER) {
            a->branches[w->depth++] =
                (branch){ .split = split, .other = child_of(split, reference_left) };
            a->state[split->feature] = BY_ROW;
            w->by_row++;
        }
        at = child_of(split, state == BY_REFERENCE ? reference_left : left);
    }
    return (size_t)(-1 - at);
}

static leaf_sums leaf_of(const walk *w, double value)
{
    const size_t a = w->by_row, b = w->by_reference;

    return (leaf_sums){ a ? value * weight_at(w->against, a - 1, b) : 0.0,
                        b ? value * weight_at(w->against, a, b - 1) : 0.0 };
}

static void add_tree(walk *w, bool is_leaf, const float *leaves, double factor, double *sums)
{
    gr_against *a = w->against;
    int32_t at = is_leaf ? -1 : 0;

    for (;;) {
        leaf_sums found = leaf_of(w, factor * (double)leaves[descend(w, at)]);

        while (w->depth > 0) {
            branch *top = &a->branches[w->depth - 1];
            uint8_t *state = &a->state[top->split->feature];

            if (*state == BY_ROW) {
                top->before = found;
                *state = BY_REFERENCE;
                w->by_row--;
                w->by_reference++;
                break;
            }
            sums[top->split->feature] += top->before.row - found.reference;
            found.row += top->before.row;
            found.reference += top->before.reference;
            *state = BY_NEITHER;
            w->by_reference--;
            w->depth--;
        }
        if (w->depth == 0)
            return;
        at = a->branches[w->depth - 1].other;
    }
}

void gr_against_add(gr_against *against, const gr_forest *forest, const float *row,
                    const float *reference, double factor, double *sums, size_t pitch)
{
    for (size_t t = 0; t < forest->trees; t++) {
        walk w = { .against = against,
                   .splits = forest->splits + forest->starts[t],
                   .row = row,
                   .reference = reference };

        add_tree(&w, forest->starts[t] == forest->starts[t + 1],
                 forest->leaves + forest->starts[t] + t, factor,
                 sums + (t % forest->outputs) * pitch);
    }
}
