/* SPDX-License-Identifier: Apache-2.0 */
/* The output of gradus train: JSON events, and a summary as text. */
#include "progress.h"
#include "cmd_show.h"
#include "cmd_train.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

static void end_event(json *e)
{
    json_close(e, '}');
    text_add(e->to, "\n");
    print_text(e->to);
}

/* "file", or "files" if there are several. */
static void json_set(json *e, const char *name, const char *const *files, size_t count,
                     const gradus_dataset *data)
{
    json_open(e, name, '{');
    if (count > 1)
        json_open(e, "files", '[');
    for (size_t i = 0; i < count; i++)
        json_string(e, count > 1 ? NULL : "file", files[i]);
    if (count > 1)
        json_close(e, ']');
    json_count(e, "rows", gradus_dataset_rows(data));
    json_count(e, "features", gradus_dataset_features(data));
    json_count(e, "queries", gradus_dataset_queries(data));
    json_close(e, '}');
}

static void json_sets(json *e, const job *j)
{
    for (size_t s = 0; s < SETS; s++) {
        const char *const *files;
        const size_t count = argument_list(j->given, set_names[s], &files);

        for (size_t i = 0; s == SET_VALID && i < j->valid_count; i++)
            json_set(e, j->valids[i].name, j->valids[i].files, j->valids[i].count,
                     j->valids[i].data);
        if (s != SET_VALID && j->sets[s])
            json_set(e, set_names[s], files, count, j->sets[s]);
    }
}

void event_start(const job *j, const gradus_training_state *state)
{
    text t = { NULL, 0, 0 };
    json e = JSON_TO(&t);

    if (!j->given->json)
        return;
    json_open(&e, NULL, '{');
    json_string(&e, "event", "start");
    json_string(&e, "method", gradus_options_value(options_of(j->given, "train"), "method"));
    json_string(&e, "model", j->model_path);
    json_count(&e, "rounds", state->rounds);
    json_count(&e, "first_round", state->round + 1);
    json_bool(&e, "resumed", j->resumes);
    json_string(&e, "metric", gradus_options_value(options_of(j->given, "train"), "metric"));
    json_count(&e, "threads", gradus_context_threads(j->given->context));
    json_string(&e, "device", device_name(&j->device));
    json_sets(&e, j);
    end_event(&e);
}

void event_saved(const job *j, const char *what, const gradus_training_state *state)
{
    text t = { NULL, 0, 0 };
    json e = JSON_TO(&t);

    if (!j->given->json)
        return;
    json_open(&e, NULL, '{');
    json_string(&e, "event", what);
    json_count(&e, "round", state->round);
    json_string(&e, "file", j->saving.path);
    end_event(&e);
}

static double peak_bytes(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : (double)NAN;
}

static void json_evaluations(json *e, const job *j)
{
    json_open(e, "metrics", '{');
    for (size_t c = 0; c < j->column_count; c++)
        json_metrics(e, j->columns[c].name, j->columns[c].evaluation);
    json_close(e, '}');
    if (j->column_count) {
        json_string(e, "convention", gradus_evaluation_convention(j->columns[0].evaluation));
        json_string(e, "switches", gradus_evaluation_switches(j->columns[0].evaluation));
    }
}

static int event_done(const job *j, const gradus_training_state *state)
{
    text t = { NULL, 0, 0 };
    json e = JSON_TO(&t);
    gradus_model_info info;

    gradus_model_describe(j->model, &info);
    json_open(&e, NULL, '{');
    json_string(&e, "event", "done");
    json_string(&e, "method", info.method);
    json_string(&e, "model", j->model_path);
    json_count(&e, "rounds", info.rounds);
    json_count(&e, "rounds_done", state->round);
    json_count(&e, "steps", state->steps);
    json_count(&e, "best_round", state->best_round);
    json_string(&e, "stopped", state->stopped);
    json_count(&e, "trees", model_count(j->model, "trees"));
    json_count(&e, "leaves", model_count(j->model, "leaves"));
    json_count(&e, "equations", model_count(j->model, "equations"));
    json_results(&e, j->model);
    json_evaluations(&e, j);
    json_open(&e, "seconds", '{');
    json_number(&e, "read", j->read_seconds);
    json_number(&e, "bin", state->bin_seconds);
    json_number(&e, "train", state->train_seconds);
    json_number(&e, "evaluate", state->evaluate_seconds + j->evaluate_seconds);
    json_close(&e, '}');
    json_number(&e, "peak_bytes", peak_bytes());
    json_close(&e, '}');
    text_add(&t, "\n");
    return print_text(&t);
}

/* kept: the rounds of the model; 1 if it has one state, such as weights, whatever the round. */
static void add_rounds(text *t, const job *j, const gradus_training_state *state, size_t kept)
{
    text_format(t, "rounds       %s of %s", with_commas(state->round), with_commas(state->rounds));
    if (state->stopped[0])
        text_format(t, "; %s", state->stopped);
    text_add(t, "\n");
    if (state->best_round)
        text_format(t, "best round   %s%s: %s %.4f on %s\n", with_commas(state->best_round),
                    kept == state->best_round ? ", kept by the model"
                    : kept == state->round    ? "; the model keeps all rounds"
                                              : "",
                    state->metric, state->best_valid, j->valids[0].name);
}

static void add_model(text *t, const job *j, const gradus_training_state *state)
{
    gradus_model_info info;

    gradus_model_describe(j->model, &info);
    text_format(t, "%s\n", j->model_path);
    text_format(t, "method       %s, trained on %s of %s, %s\n", info.method,
                counted(gradus_dataset_rows(j->sets[SET_TRAIN]), "row", "rows"),
                counted(gradus_dataset_features(j->sets[SET_TRAIN]), "feature", "features"),
                counted(gradus_dataset_queries(j->sets[SET_TRAIN]), "query", "queries"));
    if (state->rounds > 1)
        add_rounds(t, j, state, info.rounds);
    text_add(t, "size         ");
    add_model_size(t, j->model);
    text_add(t, "\n");
}

/* Queries with nothing to measure: left out of the mean, or given a value by the convention. */
static void add_empty(text *t, const job *j)
{
    bool any = false;

    for (size_t c = 0; c < j->column_count; c++) {
        const gradus_evaluation *evaluation = j->columns[c].evaluation;

        if (empty_queries(evaluation) == 0)
            continue;
        text_format(t, "%s%s %s of %s",
                    any ? ", " : "queries with nothing to measure: ", j->columns[c].name,
                    with_commas(empty_queries(evaluation)),
                    with_commas(gradus_evaluation_queries(evaluation)));
        any = true;
    }
    text_add(t, any ? "\n" : "");
}

static void add_metrics(text *t, const job *j)
{
    if (!j->column_count)
        return;
    text_add(t, "\n");
    add_convention(t, j->columns[0].evaluation);
    text_add(t, "\n");
    add_columns(t, j->columns, j->column_count);
    add_empty(t, j);
}

static size_t to_three_digits(double number)
{
    double unit = 1.0;

    while (number >= 1000.0 * unit && unit < 1e15)
        unit *= 10.0;
    return (size_t)fmin(floor(number / unit + 0.5) * unit, 1e18); /* time 0: any number */
}

static void add_costs(text *t, const job *j, const gradus_training_state *state)
{
    const size_t count = state->round - j->shown.first;
    const double done = state->steps
                            ? (double)state->steps
                            : (double)count * (double)gradus_dataset_rows(j->sets[SET_TRAIN]);

    text_add(t, "\ntime         read ");
    text_seconds(t, j->read_seconds);
    if (state->bin_seconds > 0.0) {
        text_add(t, ", bin ");
        text_seconds(t, state->bin_seconds);
    }
    text_add(t, ", train ");
    text_seconds(t, state->train_seconds);
    text_add(t, ", evaluate ");
    text_seconds(t, state->evaluate_seconds + j->evaluate_seconds);
    text_add(t, "\n");
    if (count && state->train_seconds > 0.0) {
        text_add(t, "speed        ");
        if (state->by_rounds) {
            text_seconds(t, state->train_seconds / (double)count);
            text_add(t, " per round, ");
        }
        text_format(t, "%s %s per second\n",
                    with_commas(to_three_digits(done / state->train_seconds)),
                    state->steps ? "steps" : "rows");
    }
    if (option_given(j->given, "device"))
        text_format(t, "device       %s\n", device_name(&j->device));
    text_format(t, "memory       %.0f MB peak\n", 1e-6 * peak_bytes());
}

static void add_next(text *t, const job *j)
{
    const char *data = j->paths[SET_TEST] ? j->paths[SET_TEST] : "test.txt";

    text_format(t, "\nnext         gradus show %s\n", j->model_path);
    text_format(t, "             gradus eval %s %s\n", data, j->model_path);
    text_format(t, "             gradus score %s %s -o test.scores\n", j->model_path, data);
}

int report_training(const job *j, const gradus_training_state *state)
{
    text t = { NULL, 0, 0 };

    if (j->given->json) /* a failed write was reported when it happened */
        return j->shown.form == ROUNDS_EVENTS ? event_done(j, state) : 1;
    add_model(&t, j, state);
    add_results(&t, j->model);
    add_metrics(&t, j);
    add_costs(&t, j, state);
    add_next(&t, j);
    return print_text(&t);
}
