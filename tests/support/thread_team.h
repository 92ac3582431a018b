/* SPDX-License-Identifier: Apache-2.0 */
/* Emulated kernels whose threads have a stack of their own and wait at barriers, so that the thread sanitizer notices
 * one that is missing. In place of thread_order.h, before the bodies of kernels. Barriers and the end of a kernel are
 * all that orders memory: atomics and votes are relaxed. */
#ifndef TESTS_THREAD_TEAM_H
#define TESTS_THREAD_TEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GR_THREAD_TEAM

typedef void team_kernel(void *argument, uint32_t block, void *shared);

/* Runs a kernel, two blocks at a time. threads: of a block, a multiple of 32; shared: bytes of its shared memory. */
void team_run(team_kernel *kernel, void *argument, uint32_t blocks, uint32_t threads,
              size_t shared);

/* For kernels. */
uint32_t team_thread(void); /* in the block */
void team_barrier(void);
void team_warp_barrier(void);
uint32_t team_ballot(bool flag); /* bit i: the flag of lane i of the warp */

#endif
