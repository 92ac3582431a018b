/* SPDX-License-Identifier: Apache-2.0 */
/* gradus reproduce all: every experiment, in order of cost, and a page of the results. */
#ifndef CLI_REPRODUCE_ALL_H
#define CLI_REPRODUCE_ALL_H

#include "common.h"

/* Runs the experiments and writes results, figures, summary and page. Exit status. */
int reproduce_all(arguments *given);

#endif
