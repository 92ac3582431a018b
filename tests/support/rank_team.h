/* SPDX-License-Identifier: Apache-2.0 */
/* Distributed training without MPI: the ranks are threads of the test, and collective operations copy
 * between their arrays. A seed delays ranks and splits messages at random. */
#ifndef GR_TESTS_RANK_TEAM_H
#define GR_TESTS_RANK_TEAM_H

#include "gradus.h"

typedef struct rank_team rank_team;

/* What a rank does; it must not use cmocka. A rank that returns false ends the team: the others'
 * collective operations fail. */
typedef bool (*rank_task)(const gradus_collectives *with, void *user);

/* Runs the task on `size` threads; seed 0: no delays. Returns the number of ranks that failed.
 * calls, bytes: of all collective operations of a rank; NULL: not wanted. */
size_t rank_team_run(size_t size, uint64_t seed, rank_task task, void *user, uint64_t *calls,
                     uint64_t *bytes);

#endif
