/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles the kernel of shap_tree.h for vectors of 2 and 4 doubles. Trees whose paths have at most
 * 8 features, the usual ones, need 4 points: wider vectors would be half empty. */
#include "kernels/shap_tree.h"

#define WIDTH 2
#define TARGET
#include "kernels/shap_tree_body.h"

#if defined(__x86_64__)
#define WIDTH 4
#define TARGET GR_TARGET_4
#include "kernels/shap_tree_body.h"
#endif
