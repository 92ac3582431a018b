/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of gradus show. */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include "print_json.h"
#include "common.h"

/* A model, with the facts that the parts share. */
typedef struct shown {
    const char *path;
    gradus_model *model;
    gradus_model_info info;
    gradus_feature_use *uses; /* the features that are used, the most important first */
    size_t used;              /* how many */
    const uint32_t *columns;  /* features that equations have numbers for; NULL: all */
    size_t column_count;
} shown;

/* show_linear.c */
/* Number of items in the arrays of an equation. */
size_t equation_size(const shown *s);
/* The item of a feature that is used; the feature of an item. */
size_t item_of_feature(const shown *s, size_t feature);
size_t feature_of_item(const shown *s, size_t item);

/* The name of a feature, or its id; as a variable of an equation: the name, or "x" and the id. */
void add_feature_name(text *t, const gradus_model *model, size_t feature);
/* show_models.c */
void add_variable_name(text *t, const gradus_model *model, size_t feature);

/* show_tree.c */
/* The number of trees. Tree `number`, from 1, as indented text, or as nested JSON. False if there is no such tree. */
size_t tree_count(const gradus_model *model);
bool add_tree(text *t, const shown *s, size_t number);
bool json_tree(json *j, const shown *s, size_t number);

/* show_linear.c */
/* A table of coefficients, the most important features first, `count` of them; or as JSON. */
void add_equations(text *t, const shown *s, size_t count);
void json_equations(json *j, const shown *s);

/* show_models.c */
/* Whether leaves have linear models; adds those of a tree (from 0), or that of one leaf. */
bool has_models(const shown *s);
void add_leaf_models(text *t, const shown *s, size_t tree);
void json_leaf_model(json *j, const shown *s, size_t tree, size_t node);

/* show_permutation.c */
/* Permutation importance on --data beside gain and splits, `count` features; exit status. */
int show_permutation(const arguments *given, const shown *s, size_t count);

/* show_thresholds.c */
/* Thresholds between grades, if the model has any; or as JSON. */
void add_thresholds(text *t, const shown *s);
void json_thresholds(json *j, const shown *s);
/* The two-sided p-value of a standard normal statistic. */
double two_sided_p(double z);

enum { LABEL_WIDTH = 13 }; /* of the labels at the start of lines */

/* show_facts.c */
/* The count of a fact; 0 if the model has no fact of that name. */
size_t model_count(const gradus_model *model, const char *name);
/* "9 trees, 36 leaves, 1 equation": the size of a model or ensemble. */
void add_model_size(text *t, const gradus_model *model);
/* The model's own words for a line: "size" or "ensemble"; false if it has none. The other lines, with
 * their labels. */
bool add_line(text *t, const gradus_model *model, const char *name);
void add_other_lines(text *t, const gradus_model *model);
/* show_members.c */
/* Calibrations with their parameters, the last applied first. */
void add_calibrations(text *t, const gradus_model *model);
/* How an ensemble combines its members; a table of them. False: *err. */
void add_combination(text *t, const shown *s);
bool add_members(text *t, const shown *s, gradus_error *err);
size_t members_without_importance(const shown *s);

/* show_json.c */
bool show_json(text *t, const shown *s, size_t tree, gradus_error *err);

#endif
