/* SPDX-License-Identifier: Apache-2.0 */
/* The confusion matrix: counts of rows by label and predicted grade. */
#ifndef CLI_CONFUSION_H
#define CLI_CONFUSION_H

#include "command.h"
#include "print_json.h"

typedef struct confusion {
    size_t grades; /* 0: not requested */
    double *values, *counts;
} confusion;

/* False, with the error in *err, if a number is not a grade or there are too many grades. */
bool take_confusion(confusion *c, const gradus_dataset *data, const double *grades,
                    gradus_error *err);
void add_confusion(text *t, const confusion *c, const char *name);
void json_confusion(json *j, const confusion *c);
void confusion_free(confusion *c);

#endif
