/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a composite model: its calibrations and the members of an ensemble. */
#ifndef GR_MODEL_MEMBERS_H
#define GR_MODEL_MEMBERS_H

#include "calibration/calibration.h"
#include "model/model.h"

/* The node beneath calibrations and scored nodes: a learner's, or the one that combines an
 * ensemble's members. NULL: the model has no nodes. */
const gr_node *gr_model_core(const gradus_model *model);
/* Members of an ensemble, calibrated or not; 0: not an ensemble. */
size_t gr_model_members(const gradus_model *model);
/* A member (which must exist) as a view of the model: its nodes, scorer and method. For
 * descriptions only: the ensemble does not store how its members were trained. */
gradus_model *gr_model_member(const gradus_model *model, size_t member, gradus_error *err);
/* The weight of a member in a node that combines members. */
double gr_member_weight(const gr_node *node, size_t member);
/* Calibrations applied to the model or ensemble as a whole, last one first; NULL past the end. */
const gr_calibration *gr_model_calibration_at(const gradus_model *model, size_t index);
/* The name of the last calibration; "": none. */
const char *gr_model_calibration(const gradus_model *model);

#endif
