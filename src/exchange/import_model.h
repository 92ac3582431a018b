/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the model of an importer from its trees or coefficients. */
#ifndef GR_EXCHANGE_IMPORT_MODEL_H
#define GR_EXCHANGE_IMPORT_MODEL_H

#include "exchange/import_file.h"
#include "exchange/import_trees.h"
#include "learners/linear/linear.h"
#include "model/model.h"

/* An empty model: its method is the name of the tool, its recipe says where it comes from. meaning:
 * GR_MEANS_SCORE, or one with an output per class; classes are the grades 0, 1, ... */
gradus_model *gr_import_model_new(const char *tool, size_t features, size_t first_id,
                                  gr_meaning meaning, size_t outputs, gradus_error *err);
/* Takes over the names, unless they only number the features: f0, f1, ... (XGBoost), Column_0, ...
 * (LightGBM), or f1, f2, ... (files that gradus exported), which also sets the first id. */
void gr_import_names(gradus_model *model, gr_name_list *names);
/* Each adds the node and checks the model. It takes over the trees or equations if it succeeds, and
 * frees the model otherwise. file: for messages. */
gradus_model *gr_import_forest(gradus_model *model, gr_forest *forest, const gr_import_file *file,
                               gradus_error *err);
gradus_model *gr_import_linear(gradus_model *model, gr_linear *linear, const gr_import_file *file,
                               gradus_error *err);

#endif
