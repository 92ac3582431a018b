/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a grown tree into a model tree: fits a linear model to every node, prunes bottom-up,
 * smooths (Wang and Witten 1997, with WEKA's rules) and appends the tree to the model. */
#include "learners/m5/m5_fit.h"

#include <stdatomic.h>
#include <stdlib.h>

#define SMOOTHING 15.0

typedef struct finishing {
    const gr_m5_sample *sample;
    const gr_m5_tree *tree;
    const gr_m5_options *options;
    int32_t *parents;
    uint32_t *ends; /* [node]: first node after its subtree */
    gr_m5_model *models;
    bool *is_leaf;
    gr_m5_fitter *fitters; /* [worker] */
    uint32_t *tested;      /* features tested by the tree, ascending */
    /* Per worker: the features tested by a subtree (most + 1 each), and for each feature the last
     * node that listed it, plus 1. */
    uint32_t *lists;
    uint32_t *seen;
    size_t most; /* number of features tested by the tree */
    atomic_bool failed;
    gr_arena arena; /* owns the arrays */
} finishing;

static bool wants_models(const gr_m5_options *options)
{
    return !options->constant && !(options->unpruned && options->unsmoothed);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* Lists the features tested by the subtree of node b, ascending; returns their number. */
static size_t list_tested(const finishing *all, size_t b, uint32_t *list, uint32_t *seen)
{
    size_t count = 0;

    for (size_t i = b; i < all->ends[b]; i++) {
        const gr_m5_branch *branch = &all->tree->at[i];

        if (branch->left >= 0 && seen[branch->feature] != b + 1) {
            seen[branch->feature] = (uint32_t)b + 1;
            list[count++] = branch->feature;
        }
    }
    qsort(list, count, sizeof *list, by_number);
    return count;
}

static void fit_constant(const gr_m5_branch *branch, gr_m5_model *model)
{
    model->intercept = branch->sums.sum / branch->sums.weight;
    model->error = gr_m5_variance(&branch->sums) * branch->sums.weight;
}

static void fit_branch(void *argument, size_t index, size_t worker)
{
    finishing *all = argument;
    const gr_m5_branch *branch = &all->tree->at[index];
    const size_t features = all->sample->set->features;
    uint32_t *list = all->lists + worker * (all->most + 1);
    size_t count;

    if (gr_pool_cancelled(all->sample->asked)) {
        atomic_store(&all->failed, true);
        return;
    }
    if (branch->left < 0 || !wants_models(all->options)) {
        fit_constant(branch, &all->models[index]);
        return;
    }
    count = list_tested(all, index, list, all->seen + worker * features);
    if (!gr_m5_fit(&all->fitters[worker], all->sample, all->tree->rows + branch->first, branch,
                   list, count, &all->models[index]))
        atomic_store(&all->failed, true);
}

/* Factor that turns an error on the training rows into an estimate for new rows. */
static double pruning_factor(double weight, double parameters)
{
    return weight <= parameters ? 10.0 : (weight + 2.0 * parameters) / (weight - parameters);
}

static double root_mean(double error, double weight)
{
    return sqrt((error > 0.0 ? error : 0.0) / weight);
}

/* Prunes from the last node to the first: in preorder, children follow their parents. */
static bool prune(finishing *all)
{
    const gr_m5_branch *at = all->tree->at;
    const double deviation = sqrt(gr_m5_variance(&at[0].sums));
    double *errors = gr_new_array(all->tree->count, sizeof *errors);
    double *parameters = gr_new_array(all->tree->count, sizeof *parameters);

    for (size_t b = all->tree->count; errors && parameters && b-- > 0;) {
        const gr_m5_model *model = &all->models[b];
        const double weight = at[b].sums.weight, own = (double)model->terms + 1.0;

        errors[b] = model->error;
        parameters[b] = own;
        all->is_leaf[b] = at[b].left < 0;
        if (all->is_leaf[b])
            continue;
        const double error = errors[at[b].left] + errors[at[b].right];
        const double all_own = parameters[at[b].left] + parameters[at[b].right] + 1.0;
        const double by_model = root_mean(model->error, weight) * pruning_factor(weight, own);
        const double by_subtree = root_mean(error, weight) * pruning_factor(weight, all_own);

        if (by_model <= by_subtree || by_model < deviation * 1e-5) {
            all->is_leaf[b] = true;
            continue;
        }
        errors[b] = error;
        parameters[b] = all_own;
    }
    free(errors);
    free(parameters);
    return errors && parameters;
}

/* The leaf's model with those of its ancestors blended in: p' = (n p + k q) / (n + k) at each step
 * up, k = 15. Sets the factors of all features tested by the tree; returns the intercept. */
static double blend(const finishing *all, size_t leaf, double *factors)
{
    double intercept = all->models[leaf].intercept;

    for (size_t i = 0; i < all->most; i++)
        factors[all->tested[i]] = 0.0;
    for (size_t i = 0; i < all->models[leaf].terms; i++)
        factors[all->models[leaf].features[i]] = all->models[leaf].factors[i];
    for (size_t b = leaf; !all->options->unsmoothed && all->parents[b] >= 0;
         b = (size_t)all->parents[b]) {
        const gr_m5_model *above = &all->models[all->parents[b]];
        const double n = all->tree->at[b].sums.weight;
        const double own = n / (n + SMOOTHING), theirs = SMOOTHING / (n + SMOOTHING);

        intercept = own * intercept + theirs * above->intercept;
        for (size_t i = 0; i < all->most; i++)
            factors[all->tested[i]] *= own;
        for (size_t i = 0; i < above->terms; i++)
            factors[above->features[i]] += theirs * above->factors[i];
    }
    return intercept;
}

/* The arguments of gr_m5_add for the finished tree. */
typedef struct finished {
    gr_split *splits;
    float *values;
    uint32_t *covers;
    gr_m5_leaf *leaves;
    uint32_t *features;
    double *factors;
    size_t split_count, leaf_count, term_count, term_room;
} finished;

static bool add_leaf(const finishing *all, finished *done, size_t b, double shift, double *dense)
{
    const gr_m5_branch *branch = &all->tree->at[b];
    const double intercept = blend(all, b, dense);
    const size_t before = done->term_count;

    if (done->term_count + all->most > done->term_room) {
        const size_t room = 2 * (done->term_count + all->most);
        uint32_t *more_features = realloc(done->features, room * sizeof *more_features);
        double *more_factors = realloc(done->factors, room * sizeof *more_factors);

        done->features = more_features ? more_features : done->features;
        done->factors = more_factors ? more_factors : done->factors;
        if (!more_features || !more_factors)
            return false;
        done->term_room = room;
    }
    for (size_t i = 0; i < all->most; i++)
        if (dense[all->tested[i]] != 0.0) {
            done->features[done->term_count] = all->tested[i];
            done->factors[done->term_count++] = dense[all->tested[i]];
        }
    done->values[done->leaf_count] = (float)(branch->sums.sum / branch->sums.weight + shift);
    done->covers[done->leaf_count] = branch->count;
    done->leaves[done->leaf_count++] = (gr_m5_leaf){ intercept + shift, done->term_count - before };
    return true;
}

static double spread_sum(const gr_m5_branch *branch)
{
    return gr_m5_variance(&branch->sums) * branch->sums.weight;
}

static void add_split(const finishing *all, finished *done, size_t b, const double *means)
{
    const gr_m5_branch *at = all->tree->at, *branch = &at[b];
    const double lowered =
        spread_sum(branch) - spread_sum(&at[branch->left]) - spread_sum(&at[branch->right]);
    const double gain = fmax(lowered, 0.0); /* negative only by rounding */

    done->splits[done->split_count++] = (gr_split){
        .feature = branch->feature,
        .threshold = nextafterf(branch->cut, INFINITY),
        .gain = (float)gain,
        .missing_left = means[branch->feature] <= (double)branch->cut,
    };
}

/* Emits the pruned tree in preorder; each node links itself to its parent. */
static bool take_over(const finishing *all, finished *done, double shift, const double *means,
                      double *dense, int32_t *places)
{
    for (size_t b = 0; b < all->tree->count; b = all->is_leaf[b] ? all->ends[b] : b + 1) {
        const int32_t parent = all->parents[b];

        places[b] = all->is_leaf[b] ? ~(int32_t)done->leaf_count : (int32_t)done->split_count;
        if (parent >= 0) {
            gr_split *above = &done->splits[places[parent]];

            *((size_t)all->tree->at[parent].left == b ? &above->left : &above->right) = places[b];
        }
        if (!all->is_leaf[b])
            add_split(all, done, b, means);
        else if (!add_leaf(all, done, b, shift, dense))
            return false;
    }
    return true;
}

static gradus_status add_tree(const finishing *all, double shift, gr_m5 *m5, gradus_error *err)
{
    const size_t count = all->tree->count;
    finished done = { .splits = gr_new_array(count, sizeof *done.splits) };
    double *dense = gr_new_array(all->sample->set->features, sizeof *dense);
    int32_t *places = gr_new_array(count, sizeof *places);
    gradus_status status = GRADUS_OK;

    done.values = gr_new_array(count, sizeof *done.values);
    done.covers = gr_new_array(count, sizeof *done.covers);
    done.leaves = gr_new_array(count, sizeof *done.leaves);
    if (done.splits && done.values && done.covers && done.leaves && dense && places &&
        take_over(all, &done, shift, m5->means, dense, places))
        status = gr_m5_add(m5, done.splits, done.leaf_count, done.values, done.covers, done.leaves,
                           done.features, done.factors, err);
    else
        status = gr_fail_memory(err, "a tree");
    free(done.splits);
    free(done.values);
    free(done.covers);
    free(done.leaves);
    free(done.features);
    free(done.factors);
    free(dense);
    free(places);
    return status;
}

/* Finds parents and subtree ends of a tree in preorder. */
static void find_relations(finishing *all)
{
    const gr_m5_tree *tree = all->tree;

    all->parents[0] = -1;
    for (size_t b = 0; b < tree->count; b++)
        if (tree->at[b].left >= 0)
            all->parents[tree->at[b].left] = all->parents[tree->at[b].right] = (int32_t)b;
    for (size_t b = tree->count; b-- > 0;)
        all->ends[b] = tree->at[b].left >= 0 ? all->ends[tree->at[b].right] : (uint32_t)b + 1;
}

static bool start(finishing *all, size_t threads)
{
    const size_t count = all->tree->count, features = all->sample->set->features;

    all->parents = gr_arena_array(&all->arena, count, sizeof *all->parents);
    all->ends = gr_arena_array(&all->arena, count, sizeof *all->ends);
    all->models = gr_arena_array(&all->arena, count, sizeof *all->models);
    all->is_leaf = gr_arena_array(&all->arena, count, sizeof *all->is_leaf);
    all->fitters = gr_arena_array(&all->arena, threads, sizeof *all->fitters);
    all->seen = gr_arena_array(&all->arena, threads * features, sizeof *all->seen);
    if (all->arena.failed)
        return false;
    find_relations(all);
    for (size_t b = 0; b < count; b++)
        if (all->tree->at[b].left >= 0 && !all->seen[all->tree->at[b].feature]) {
            all->seen[all->tree->at[b].feature] = UINT32_MAX;
            all->most++;
        }
    all->tested = gr_arena_array(&all->arena, all->most, sizeof *all->tested);
    all->lists = gr_arena_array(&all->arena, threads * (all->most + 1), sizeof *all->lists);
    for (uint32_t f = 0, listed = 0; all->tested && f < features; f++)
        if (all->seen[f])
            all->tested[listed++] = f;
    for (size_t i = 0; all->lists && i < threads; i++)
        if (wants_models(all->options) &&
            !gr_m5_fitter_start(&all->fitters[i], all->most, all->sample->set))
            return false;
    return !all->arena.failed;
}

static void end(finishing *all, size_t threads)
{
    for (size_t b = 0; all->models && b < all->tree->count; b++)
        gr_m5_model_free(&all->models[b]);
    for (size_t i = 0; all->fitters && i < threads; i++)
        gr_m5_fitter_free(&all->fitters[i]);
    gr_arena_free(&all->arena);
}

gradus_status gr_m5_finish(const gr_m5_sample *sample, double shift, const gr_m5_tree *tree,
                           const gr_m5_options *options, gr_pool *pool, gr_m5 *m5,
                           gradus_error *err)
{
    const size_t threads = gr_pool_threads(pool);
    finishing all = { .sample = sample, .tree = tree, .options = options };
    gradus_status status = GRADUS_OK;
    bool done = false;

    atomic_init(&all.failed, false);
    if (start(&all, threads)) {
        gr_pool_run(pool, tree->count, fit_branch, &all);
        done = !atomic_load(&all.failed);
        for (size_t b = 0; b < tree->count; b++)
            all.is_leaf[b] = tree->at[b].left < 0;
        if (done && !options->unpruned)
            done = prune(&all);
    }
    status = gr_pool_check(sample->asked, err);
    if (status == GRADUS_OK)
        status = done ? add_tree(&all, shift, m5, err) : gr_fail_memory(err, "a tree");
    end(&all, threads);
    return status;
}
