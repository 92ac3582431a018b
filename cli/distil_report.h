/* SPDX-License-Identifier: Apache-2.0 */
/* What a distilled model loses and saves, against the ensemble that it was trained on. */
#ifndef CLI_DISTIL_REPORT_H
#define CLI_DISTIL_REPORT_H

#include "measured_report.h"

/* Measures the time that both models take to score rows of data; exit status. */
int time_distilled(measuring *m, const gradus_dataset *data);
/* The report's lines, and the object "distilled" of the JSON output. */
void add_distilled(text *t, const measuring *m);
void json_distilled(json *j, const measuring *m);

#endif
