/* SPDX-License-Identifier: Apache-2.0 */
/* gradus reproduce --claims: the claims of the papers and their status. */
#ifndef CLI_REPRODUCE_CLAIMS_H
#define CLI_REPRODUCE_CLAIMS_H

#include "common.h"

/* Prints the claims; --results: the folder of results. Returns the exit status. */
int claims_print(const arguments *given);

#endif
