/* SPDX-License-Identifier: Apache-2.0 */
/* Independent jobs that run in parallel, each with its own context. */
#ifndef GR_EXPERIMENTS_JOBS_H
#define GR_EXPERIMENTS_JOBS_H

#include "gradus.h"

/* Runs job `index`. It should report progress to the context regularly, so that it can be
 * cancelled. */
typedef gradus_status (*gr_job)(void *argument, size_t index, gradus_context *context,
                                gradus_error *err);

/* Runs jobs 0 to count - 1, started in this order, as many at once as the context has threads; with
 * fewer jobs than threads each job gets several threads. Results must not depend on the order in
 * which jobs end. After a failure no further job starts; the failure with the lowest index is
 * reported. what: the name for progress, "trials". Notes of jobs are discarded. */
gradus_status gr_jobs_run(gradus_context *context, const char *what, size_t count, gr_job job,
                          void *argument, gradus_error *err);

#endif
