/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of `gradus auto`. */
#ifndef CLI_AUTO_H
#define CLI_AUTO_H

#include "gradus_experiments.h"

#include "common.h"

/* auto_report.c */
/* What was found, as text or lines of JSON, on standard output; exit status. */
int auto_report(const arguments *given, const gradus_auto_result *result);
/* Adds the lines of JSON. */
void auto_add_events(text *t, const arguments *given, const gradus_auto_result *result);

#endif
