/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints of gradus train. Resuming from one gives the model of an uninterrupted run. */
#include "progress.h"
#include "cmd_train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double seconds_if_unsaid = 60.0;

static int set_every(job *j)
{
    const char *word = argument(j->given, "checkpoint-every");
    uint64_t every;

    if (!word)
        return -1;
    if (!parse_count(word, SIZE_MAX, &every) || every == 0)
        return fail_usage("--checkpoint-every takes a number of rounds, at least 1, not '%s'",
                          word);
    j->saving.every = (size_t)every;
    return -1;
}

static int set_seconds(job *j)
{
    const char *word = argument(j->given, "checkpoint-seconds");
    gradus_error err;

    if (!word)
        return -1;
    if (gradus_number_parse(word, &j->saving.seconds, &err) != GRADUS_OK ||
        !(j->saving.seconds > 0.0))
        return fail_usage("--checkpoint-seconds takes a number of seconds above 0, not '%s'", word);
    return -1;
}

/* An existing file must be a checkpoint: it will be overwritten, and removed at the end. */
static int check_file(const job *j)
{
    const char *path = j->saving.path;
    gradus_model_facts facts;
    gradus_error err;
    gradus_model *model;

    if (access(path, F_OK) != 0)
        return -1;
    if (!gradus_model_is_file(path))
        return fail_usage(
            "'%s' exists and is not a checkpoint; name another file with --checkpoint", path);
    model = gradus_model_read(path, &err);
    if (!model) /* damaged, which matters to --resume only */
        return argument(j->given, "resume") ? fail(&err) : -1;
    gradus_model_describe(model, &facts);
    gradus_model_free(model);
    if (facts.finished)
        return fail_usage("'%s' is a finished model, not a checkpoint; name another file with "
                          "--checkpoint, or continue from the model with --start",
                          path);
    if (!argument(j->given, "resume") && !j->given->quiet)
        say("note: '%s' is a checkpoint of round %zu, but training starts from scratch; add "
            "--resume to continue from it\n",
            path, facts.rounds_done);
    return -1;
}

int checkpoints_begin(job *j)
{
    const char *path = argument(j->given, "checkpoint");
    text named = { NULL, 0, 0 };
    int status;

    text_add(&named, path ? path : j->model_path);
    text_add(&named, path ? "" : ".checkpoint");
    j->saving.path = named.at;
    if (!path && (status = check_output(j->given, "the checkpoint", named.at)) != 0)
        return status;
    if ((status = set_every(j)) >= 0 || (status = set_seconds(j)) >= 0)
        return status;
    if (path && j->saving.every == 0 && !(j->saving.seconds > 0.0))
        j->saving.seconds = seconds_if_unsaid;
    j->saving.written = seconds_now();
    return check_file(j);
}

int checkpoints_resume(job *j)
{
    gradus_error err;

    if (!argument(j->given, "resume"))
        return -1;
    if (access(j->saving.path, F_OK) != 0) {
        if (!j->given->quiet)
            say("note: no checkpoint '%s'; training starts from scratch\n", j->saving.path);
        return -1;
    }
    j->start = gradus_model_read(j->saving.path, &err);
    j->resumes = j->saving.ours = j->start != NULL;
    return j->start ? -1 : fail(&err);
}

gradus_status checkpoints_write(job *j, gradus_error *err)
{
    gradus_model *model = gradus_training_checkpoint(j->training, err);
    const gradus_status status =
        model ? gradus_model_write(model, j->saving.path, err) : err->status;

    gradus_model_free(model);
    j->saving.ours |= status == GRADUS_OK;
    j->saving.written = seconds_now();
    return status;
}

void checkpoints_tend(job *j, const gradus_training_state *state)
{
    const checkpoints *c = &j->saving;
    const bool by_rounds = c->every && state->round % c->every == 0;
    const bool by_time = c->seconds > 0.0 && seconds_now() - c->written >= c->seconds;
    gradus_error err;

    if (!by_rounds && !by_time)
        return;
    if (checkpoints_write(j, &err) == GRADUS_OK) {
        event_saved(j, "checkpoint", state);
        return;
    }
    rounds_end(&j->shown);
    say("note: cannot save the checkpoint of round %zu: %s\n", state->round, err.message);
}

void checkpoints_end(job *j)
{
    if (j->saving.ours)
        unlink(j->saving.path);
}
