/* SPDX-License-Identifier: Apache-2.0 */
/* gradus reproduce all (see reproduce_all.h): cheap experiments first, within a time limit. Results
 * are in FOLDER/NAME.json, figures in FOLDER/NAME.svg, journals beside them, and what is known of
 * each run in FOLDER/summary.json, from which the next call resumes. */
#include "reproduce_all.h"

#include "build_commit.h"
#include "figure.h"
#include "progress.h"
#include "reproduce_page.h"
#include "signals.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { MAX_FIGURES = 16, QUICK_SECONDS = 120, QUICK_TIME = 1200, QUICK_SEEDS = 2 };

static void set(char **where, char *owned)
{
    free(*where);
    *where = owned;
}

/* FOLDER/NAME.END; free it. */
static char *path_in(const char *folder, const char *name, const char *end)
{
    text t = { 0 };

    text_add(&t, folder);
    text_add(&t, "/");
    text_add(&t, name);
    text_add(&t, end);
    return t.at;
}

static char *day_of(time_t moment)
{
    struct tm parts;
    char date[16] = "";

    if (gmtime_r(&moment, &parts))
        strftime(date, sizeof date, "%Y-%m-%d", &parts);
    return must_copy(date);
}

static char *build_name(void)
{
    gradus_build build;
    text t = { 0 };

    gradus_build_describe(&build);
    text_format(&t, "gradus %s (%s%s%s%s, %s, %s kernels)", build.version,
                *build_commit() ? "commit " : "", build_commit(), *build_commit() ? ", " : "",
                build.compiler, build.architecture, build.kernels);
    return t.at;
}

/* "90s", "20min", "8h" to seconds; negative: not a time. */
static double seconds_of(const char *word)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = { { "s", 1.0 }, { "min", 60.0 }, { "h", 3600.0 } };
    char *end;
    const double number = strtod(word, &end);

    for (size_t u = 0; u < sizeof units / sizeof units[0]; u++)
        if (end > word && strcmp(end, units[u].name) == 0 && number >= 0.0 && number < 1e6)
            return number * units[u].seconds;
    return -1.0;
}

static int by_cost(const void *a, const void *b)
{
    const outcome *x = a, *y = b;

    if (x->about.seconds != y->about.seconds)
        return x->about.seconds < y->about.seconds ? -1 : 1;
    return strcmp(x->about.name, y->about.name);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const outcome *)a)->about.name, ((const outcome *)b)->about.name);
}

/* The experiments in order of cost; quick: selects those of at most two minutes. */
static void list_outcomes(outcomes *all, bool quick)
{
    gradus_experiment about;
    size_t count = 0;

    while (gradus_experiment_at(count, &about))
        count++;
    all->list = must_have(count, sizeof *all->list);
    for (size_t i = 0; gradus_experiment_at(i, &about); i++)
        all->list[all->count++] = (outcome){ .about = about,
                                             .selected = !quick || about.seconds <= QUICK_SECONDS,
                                             .state = must_copy("not run"),
                                             .reason = must_copy("time limit reached"),
                                             .build = must_copy(""),
                                             .command = must_copy(""),
                                             .date = must_copy("") };
    qsort(all->list, all->count, sizeof *all->list, by_cost);
}

static void free_outcome(outcome *one)
{
    free(one->state);
    free(one->reason);
    free(one->build);
    free(one->command);
    free(one->date);
    gr_json_free(one->root);
    free(one->bytes);
}

static void free_outcomes(outcomes *all)
{
    for (size_t i = 0; i < all->count; i++)
        free_outcome(&all->list[i]);
    free(all->list);
    free(all->build);
    free(all->command);
    free(all->date);
}

/* Reads FOLDER/NAME.json; without it root is NULL. Exit status: it is damaged, or of another
 * experiment. */
static int load_results(const char *folder, outcome *one)
{
    char *path = path_in(folder, one->about.name, ".json");
    int status;

    gr_json_free(one->root);
    free(one->bytes);
    status = read_json_file(path, &one->bytes, &one->root);
    if (status == 0 && one->root &&
        strcmp(member_text(one->root, "experiment"), one->about.name) != 0)
        status = fail_damaged(path, "not the results of this experiment; move it away");
    free(path);
    return status;
}

/* Reads a list of numbers, null as a gap. */
static double *numbers_of(const gr_json *series, const char *key, size_t *count)
{
    const gr_json *item = NULL;
    double *numbers;

    *count = member_list(series, key, &item);
    numbers = must_have(*count + 1, sizeof *numbers);
    for (size_t i = 0; i < *count; i++, item = gr_json_next(item))
        if (!gr_json_number(item, &numbers[i]))
            numbers[i] = (double)NAN;
    return numbers;
}

static void free_figure(gradus_figure *figure)
{
    for (size_t s = 0; s < figure->count; s++) {
        free((double *)(uintptr_t)figure->series[s].x);
        free((double *)(uintptr_t)figure->series[s].y);
    }
    free((gradus_series *)(uintptr_t)figure->series);
}

static void take_figure(const gr_json *from, gradus_figure *figure)
{
    const gr_json *one = NULL;
    const size_t count = member_list(from, "series", &one);
    gradus_series *series = must_have(count + 1, sizeof *series);

    for (size_t s = 0; s < count; s++, one = gr_json_next(one)) {
        size_t across, points;
        double *x = numbers_of(one, "x", &across), *y = numbers_of(one, "y", &points);

        series[s] = (gradus_series){ .name = member_text(one, "name"),
                                     .count = across < points ? across : points,
                                     .x = x,
                                     .y = y };
        gr_json_flag(gr_json_find(one, "theory"), &series[s].theory);
    }
    *figure = (gradus_figure){ .title = member_text(from, "title"),
                               .x = member_text(from, "x"),
                               .y = member_text(from, "y"),
                               .count = count,
                               .series = series };
}

/* Draws the figures of results whose drawing is missing. */
static int draw_missing(const char *folder, const outcome *one)
{
    char *path = path_in(folder, one->about.name, ".svg");
    gradus_figure figures[MAX_FIGURES];
    const gr_json *from = NULL;
    size_t count = member_list(one->root, "figures", &from);
    struct stat about;
    text t = { 0 };
    int status = 0;

    count = count < MAX_FIGURES ? count : MAX_FIGURES;
    if (count > 0 && stat(path, &about) != 0) {
        for (size_t i = 0; i < count; i++, from = gr_json_next(from))
            take_figure(from, &figures[i]);
        figures_svg(&t, figures, count);
        status = write_text(&t, path);
        for (size_t i = 0; i < count; i++)
            free_figure(&figures[i]);
        text_free(&t);
    }
    free(path);
    return status;
}

/* The command that repeats one experiment; the folder of data sets is DATA. */
static char *command_of(const arguments *given, const outcome *one)
{
    gradus_options *options = options_of(given, "reproduce");
    text t = { 0 };

    text_format(&t, "gradus reproduce %s", one->about.name);
    if (*gradus_options_value(options, "data"))
        text_add(&t, " --data DATA");
    if (one->scale != 1.0)
        text_format(&t, " --scale %g", one->scale);
    if (one->seed != 1)
        text_format(&t, " --seed %llu", (unsigned long long)one->seed);
    if (one->seeds)
        text_format(&t, " --seeds %llu", (unsigned long long)one->seeds);
    return t.at;
}

/* The day when FOLDER/NAME.json was written. */
static char *written_on(const char *folder, const outcome *one)
{
    char *path = path_in(folder, one->about.name, ".json");
    struct stat about;
    char *date = stat(path, &about) == 0 ? day_of(about.st_mtime) : must_copy("");

    free(path);
    return date;
}

/* Runs in full before smaller ones: by scale, then by seeds, of which 0 are all. */
static bool has_less(const outcome *one, double scale, uint64_t seed, uint64_t seeds)
{
    if (scale != one->scale)
        return scale < one->scale;
    if (seeds != one->seeds)
        return seeds != 0 && (one->seeds == 0 || seeds < one->seeds);
    return seed != one->seed;
}

/* Takes over results that are in the folder, until this call has others that are not smaller. known:
 * the record of the run; for results without one, those themselves. */
static int resume_outcome(const arguments *given, const char *folder, const gr_json *known,
                          outcome *one)
{
    double scale;
    uint64_t seed = 0, seeds = 0;
    const bool recorded = known;
    int status = load_results(folder, one);

    if (status || !one->root)
        return status;
    if (!recorded)
        known = one->root;
    scale = member_number(known, "scale");

    if (isnan(scale) || !gr_json_count(gr_json_find(known, "seed"), &seed) ||
        (!gr_json_count(gr_json_find(known, "seeds"), &seeds) && recorded)) {
        char *path = path_in(folder, recorded ? "summary" : one->about.name, ".json");

        status = fail_damaged(path, "expected a scale, a seed and seeds");
        free(path);
        return status;
    }
    one->reduced = has_less(one, scale, seed, seeds);
    one->scale = scale;
    one->seed = seed;
    one->seeds = seeds;
    set(&one->state, must_copy("done"));
    set(&one->reason, must_copy(""));
    one->seconds = recorded ? member_number(known, "seconds") : 0.0;
    if (recorded) {
        set(&one->build, must_copy(member_text(known, "build")));
        set(&one->command, must_copy(member_text(known, "command")));
        set(&one->date, must_copy(member_text(known, "date")));
    } else {
        text build = { 0 };

        text_format(&build, "gradus %s", member_text(known, "version"));
        set(&one->build, build.at);
        set(&one->command, command_of(given, one));
        set(&one->date, written_on(folder, one));
    }
    return 0;
}
/* The record of an experiment in the summary; NULL: none. */
static const gr_json *record_of(const gr_json *summary, const char *name)
{
    const gr_json *known = NULL;

    for (size_t left = member_list(summary, "experiments", &known); left > 0;
         left--, known = gr_json_next(known))
        if (strcmp(member_text(known, "name"), name) == 0)
            return known;
    return NULL;
}

/* Leaves out what is neither selected nor known to the folder. */
static void resume_each(const arguments *given, outcomes *all, const gr_json *summary, int *status)
{
    size_t kept = 0;

    for (size_t i = 0; i < all->count; i++) {
        outcome one = all->list[i];
        const gr_json *known = record_of(summary, one.about.name);
        const bool done = known && strcmp(member_text(known, "state"), "done") == 0;

        if (*status == 0)
            *status = resume_outcome(given, all->folder, done ? known : NULL, &one);
        if (!one.root && !one.selected && known && !done) {
            set(&one.state, must_copy(member_text(known, "state")));
            set(&one.reason, must_copy(member_text(known, "reason")));
        }
        if (one.selected || one.root || (known && !done))
            all->list[kept++] = one;
        else
            free_outcome(&one);
    }
    all->count = kept;
}

static int resume_all(const arguments *given, outcomes *all)
{
    char *path = path_in(all->folder, "summary", ".json"), *bytes;
    gr_json *root;
    const gr_json *list;
    int status = read_json_file(path, &bytes, &root);

    if (root && (!(list = gr_json_find(root, "experiments")) || list->kind != GR_JSON_LIST))
        status = fail_damaged(path, "not a summary of 'gradus reproduce all': no experiments");
    resume_each(given, all, root, &status);
    gr_json_free(root);
    free(bytes);
    free(path);
    return status;
}

/* The first required data set that is absent; false if there is none. */
static bool lacks_data(const arguments *given, const outcome *one, text *missing)
{
    const char *data = gradus_options_value(options_of(given, "reproduce"), "data");
    struct stat about;

    for (const char *at = one->about.needs; *at;) {
        const size_t length = strcspn(at, " ");
        text path = { 0 };

        text_format(&path, "%s/%.*s", *data ? data : ".", (int)length, at);
        const bool absent = !*data || stat(text_string(&path), &about) != 0;

        text_free(&path);
        if (absent) {
            text_format(missing, "needs %.*s in --data", (int)length, at);
            return true;
        }
        at += length + strspn(at + length, " ");
    }
    return false;
}

static int write_results(const outcomes *all, outcome *one, const gradus_reproduction *found)
{
    char *path = path_in(all->folder, one->about.name, ".json");
    gradus_figure figures[MAX_FIGURES];
    size_t count = 0;
    text t = { 0 };

    text_add(&t, gradus_reproduction_json(found));
    text_add(&t, "\n");
    int status = write_text(&t, path);

    free(path);
    text_free(&t);
    while (count < MAX_FIGURES && gradus_reproduction_figure_at(found, count, &figures[count]))
        count++;
    if (status == 0 && count > 0) {
        path = path_in(all->folder, one->about.name, ".svg");
        figures_svg(&t, figures, count);
        status = write_text(&t, path);
        free(path);
        text_free(&t);
    }
    return status;
}

/* A journal is of one scale and one seed. */
static char *journal_path(const outcomes *all, const outcome *one)
{
    text end = { 0 };

    if (all->scale != 1.0)
        text_format(&end, "-scale-%g", all->scale);
    if (all->seed != 1)
        text_format(&end, "-seed-%llu", (unsigned long long)all->seed);
    text_add(&end, ".jsonl");
    char *path = path_in(all->folder, one->about.family, text_string(&end));

    text_free(&end);
    return path;
}

/* Runs one experiment and records how it ended. Exit status: only if results cannot be written. */
static int run_outcome(arguments *given, const outcomes *all, outcome *one)
{
    gradus_options *options = options_of(given, "reproduce");
    char *journal = journal_path(all, one);
    const double started = seconds_now();
    gradus_reproduction *found = NULL;
    gradus_error err = { GRADUS_OK, "" };
    int status = 0;

    if (gradus_options_set(options, "journal", journal, &err) == GRADUS_OK)
        found = gradus_reproduce(given->context, one->about.name, options, &err);
    free(journal);
    if (!found && one->reduced) {
        if (err.status != GRADUS_CANCELLED)
            say("gradus: %s: %s; the earlier results stay\n", one->about.name, err.message);
        return 0;
    }
    if (!found) {
        const bool stopped = err.status == GRADUS_CANCELLED;

        set(&one->state, must_copy(stopped ? "not run" : "failed"));
        set(&one->reason, must_copy(!stopped         ? err.message
                                    : signals_came() ? "interrupted"
                                                     : "time limit reached"));
        return 0;
    }
    status = write_results(all, one, found);
    gradus_reproduction_free(found);
    if (status == 0)
        status = load_results(all->folder, one);
    if (status)
        return status;
    set(&one->state, must_copy("done"));
    set(&one->reason, must_copy(""));
    set(&one->build, must_copy(all->build));
    one->scale = all->scale;
    one->seed = all->seed;
    one->seeds = all->seeds;
    one->reduced = false;
    set(&one->command, command_of(given, one));
    set(&one->date, day_of(time(NULL)));
    one->seconds = seconds_now() - started;
    return 0;
}

static int write_summary(const outcomes *all)
{
    char *path = path_in(all->folder, "summary", ".json");
    text t = { 0 };
    int status = summary_add(&t, all);

    if (status == 0)
        status = write_text(&t, path);
    text_free(&t);
    free(path);
    return status;
}

/* Where the page goes; free it. */
static char *page_path(const arguments *given, const outcomes *all)
{
    const char *page = argument(given, "page");

    return page ? must_copy(page) : path_in(all->folder, "page", ".md");
}

/* What would otherwise fail at the end of hours: reads the notes, and tries the page's folder and the
 * claims of results that are in the folder. */
static int check_before(const arguments *given, const outcomes *all, char **notes)
{
    const char *file = argument(given, "notes");
    char *path = page_path(given, all);
    gradus_error err = { GRADUS_OK, "" };
    size_t size;
    int status = 0;

    if (file && !(*notes = read_text_file(file, &size)))
        status = fail_usage("cannot read '%s': %s", file, strerror(errno));
    if (status == 0) {
        gradus_output *page = gradus_output_new(path, &err);
        gradus_paper_claims *claims = page ? gradus_paper_claims_read(all->folder, &err) : NULL;

        if (page)
            gradus_output_abandon(page);
        status = claims ? 0 : fail(&err);
        gradus_paper_claims_free(claims);
    }
    free(path);
    return status;
}

static int write_page(const arguments *given, const outcomes *all, const char *notes)
{
    const char *page = argument(given, "page");
    char *path = page_path(given, all);
    text t = { 0 }, figures = { 0 };

    if (page) { /* figures are in the folder of results, beside or below the page */
        const char *slash = strrchr(page, '/');
        const size_t above = slash ? (size_t)(slash - page) + 1 : 0;

        text_add(&figures,
                 strncmp(all->folder, page, above) == 0 ? all->folder + above : all->folder);
        text_add(&figures, "/");
    }
    int status = page_add(&t, all, notes, text_string(&figures));

    if (status == 0)
        status = write_text(&t, path);
    if (status == 0 && !given->quiet)
        say("gradus: wrote %s\n", path);
    text_free(&t);
    text_free(&figures);
    free(path);
    return status;
}

/* Runs what is missing until the time is up; the summary is written after each experiment. */
static int run_all(arguments *given, outcomes *all, double seconds)
{
    const double end = seconds_now() + seconds;
    int status = 0;

    for (size_t i = 0; status == 0 && i < all->count && !signals_came(); i++) {
        outcome *one = &all->list[i];
        text missing = { 0 };

        if (!one->selected || (one->root && !one->reduced))
            continue;
        if (lacks_data(given, one, &missing)) {
            if (one->root) { /* reduced results stay */
                text_free(&missing);
                continue;
            }
            set(&one->state, must_copy("no data"));
            set(&one->reason, must_copy(text_string(&missing)));
        } else if (seconds_now() < end) {
            if (!given->quiet)
                say("gradus: %s (about %s on two cores)\n", one->about.name, one->about.takes);
            status = run_outcome(given, all, one);
        }
        text_free(&missing);
        if (status == 0)
            status = write_summary(all);
    }
    return status;
}

static int read_limits(const arguments *given, bool quick, double *seconds)
{
    const char *limit = argument(given, "time");

    *seconds = quick ? (double)QUICK_TIME : (double)INFINITY;
    if (limit && (*seconds = seconds_of(limit)) < 0.0)
        return fail_usage("--time takes a time such as 90s, 20min or 8h; found '%s'", limit);
    return 0;
}

static int report_all(const arguments *given, const outcomes *all)
{
    size_t done = 0, failed = 0, selected = 0;
    text t = { 0 };

    for (size_t i = 0; i < all->count; i++) {
        if (!all->list[i].selected)
            continue;
        selected++;
        done += strcmp(all->list[i].state, "done") == 0;
        failed += strcmp(all->list[i].state, "failed") == 0;
        if (strcmp(all->list[i].state, "done") != 0)
            text_format(&t, "%s: %s: %s\n", all->list[i].about.name, all->list[i].state,
                        all->list[i].reason);
    }
    text_format(&t, "%zu of %s done; results in %s\n", done,
                counted(selected, "experiment", "experiments"), all->folder);
    const int status = given->quiet ? 0 : print_text(&t);

    text_free(&t);
    if (signals_came())
        return signals_status();
    return failed > 0 ? 1 : status;
}

/* Lists the experiments, with what the options ask for. */
static void start_all(const arguments *given, outcomes *all, bool quick)
{
    list_outcomes(all, quick);
    for (size_t i = 0; i < all->count; i++) {
        all->list[i].scale = all->scale;
        all->list[i].seed = all->seed = given->seed;
        all->list[i].seeds = all->seeds;
    }
    all->build = build_name();
    all->date = day_of(time(NULL));
    all->command = must_copy(quick ? "gradus reproduce all --quick" : "gradus reproduce all");
}

static int finish_all(const arguments *given, outcomes *all, const char *notes)
{
    int status = 0;

    qsort(all->list, all->count, sizeof *all->list, by_name);
    status = write_summary(all);
    for (size_t i = 0; status == 0 && i < all->count; i++)
        status = draw_missing(all->folder, &all->list[i]);
    if (status == 0)
        status = write_page(given, all, notes);
    return status ? status : report_all(given, all);
}

int reproduce_all(arguments *given)
{
    gradus_options *options = options_of(given, "reproduce");
    const bool quick = argument(given, "quick");
    const char *folder = argument(given, "output");
    outcomes all = { .folder = folder ? folder : "reproduction" };
    char *notes = NULL;
    gradus_error err;
    double seconds = 0.0;
    int status = read_limits(given, quick, &seconds);

    if (status)
        return status;
    if (option_given(given, "journal") || argument(given, "svg"))
        return fail_usage("'all' keeps journals and figures in its folder: omit --journal, --svg");
    if (quick && !option_given(given, "seeds") &&
        gradus_options_set_count(options, "seeds", QUICK_SEEDS, &err) != GRADUS_OK)
        return fail(&err);
    if (gradus_number_parse(gradus_options_value(options, "scale"), &all.scale, &err) != GRADUS_OK)
        return fail(&err);
    parse_count(gradus_options_value(options, "seeds"), UINT64_MAX, &all.seeds);
    if (mkdir(all.folder, 0777) != 0 && errno != EEXIST)
        return fail_usage("cannot create '%s': %s", all.folder, strerror(errno));
    start_all(given, &all, quick);
    status = resume_all(given, &all);
    if (status == 0)
        status = check_before(given, &all, &notes);
    if (status == 0) {
        progress_limit(seconds);
        status = run_all(given, &all, seconds);
    }
    if (status == 0)
        status = finish_all(given, &all, notes);
    free_outcomes(&all);
    free(notes);
    return status;
}
