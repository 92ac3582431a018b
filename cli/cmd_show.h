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
    gradus_model_facts facts;
    gradus_feature_use *uses; /* the features that are used, the most important first */
    size_t used;              /* how many */
    const uint32_t *columns;  /* features that equations have numbers for; NULL: all */
    size_t column_count;
} shown;

/* Number of items in the arrays of an equation. */
size_t equation_size(const shown *s);
/* The item of a feature that is used; the feature of an item. */
size_t item_of_feature(const shown *s, size_t feature);
size_t feature_of_item(const shown *s, size_t item);

/* The name of a feature, or its id; as a variable of an equation: the name, or "x" and the id. */
void add_feature_name(text *t, const gradus_model *model, size_t feature);
void add_variable_name(text *t, const gradus_model *model, size_t feature);

/* Tree `number`, from 1, as indented text, or as nested JSON. False if there is no such tree. */
bool add_tree(text *t, const shown *s, size_t number);
bool json_tree(json *j, const shown *s, size_t number);

/* A table of coefficients, the most important features first, `count` of them; or as JSON. */
void add_equations(text *t, const shown *s, size_t count);
void json_equations(json *j, const shown *s);

/* Whether leaves have linear models; adds those of a tree (from 0), or that of one leaf. */
bool has_models(const shown *s);
void add_leaf_models(text *t, const shown *s, size_t tree);
void json_leaf_model(json *j, const shown *s, size_t tree, size_t node);

/* The kernel, and the numbers that the learner reported, if any. */
void add_fit(text *t, const shown *s);
void json_fit(json *j, const shown *s);
/* Thresholds between grades, if the model has any; or as JSON. */
void add_thresholds(text *t, const shown *s);
void json_thresholds(json *j, const shown *s);
/* The two-sided p-value of a standard normal statistic. */
double two_sided_p(double z);

/* "9 trees, 36 leaves, 1 equation": the size of a model or ensemble; or as JSON. */
void add_model_size(text *t, const gradus_model_facts *facts);
void json_model_size(json *j, const gradus_model_facts *facts);
/* Calibrations with their parameters, the last applied first. */
void add_calibrations(text *t, const gradus_model *model);
void json_calibrations(json *j, const gradus_model *model);
/* How an ensemble combines its members; a table of them; or an array of objects. False: *err. */
void add_combination(text *t, const gradus_model_facts *facts);
bool add_members(text *t, const shown *s, gradus_error *err);
bool json_members(json *j, const gradus_model *model, size_t members, gradus_error *err);
size_t members_without_importance(const shown *s);

/* The names of the two numbers of a feature's importance, in text and JSON. */
const char *gain_word(const gradus_model_facts *facts);
const char *split_word(const gradus_model_facts *facts);

/* The facts about a model, as members of a JSON object. */
void json_model_facts(json *j, const char *path, const gradus_model_facts *facts);
bool show_json(text *t, const shown *s, size_t tree, gradus_error *err);

#endif
