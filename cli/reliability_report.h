/* SPDX-License-Identifier: Apache-2.0 */
/* gradus eval --calibration. */
#ifndef CLI_CALIBRATION_H
#define CLI_CALIBRATION_H

#include "common.h"

/* Evaluates the models of the command line on its data; exit status. */
int eval_calibration(const arguments *given);

#endif
