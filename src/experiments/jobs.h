/* SPDX-License-Identifier: Apache-2.0 */
/* Independent pieces of work, several at a time, each with a context of its own. */
#ifndef GR_EXPERIMENTS_JOBS_H
#define GR_EXPERIMENTS_JOBS_H

#include "base/context.h"

/* Job `index`. It should call gr_progress(context, ...) now and then, so that it can be cancelled.
 */
typedef gradus_status (*gr_job)(void *argument, size_t index, gradus_context *context,
                                gradus_error *err);

/* Runs jobs 0 to count - 1, begun in this order, as many at once as the context has threads; with
 * fewer jobs than threads each has several threads. Results must not depend on the order in which
 * jobs end. After a failure no further job begins; the failure of the lowest index is told. what:
 * for progress, "trials". Notes of jobs are not passed on. */
gradus_status gr_jobs_run(gradus_context *context, const char *what, size_t count, gr_job job,
                          void *argument, gradus_error *err);

#endif
