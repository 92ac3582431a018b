/* SPDX-License-Identifier: Apache-2.0 */
/* The table of all kernels and their versions, for tests and benchmarks. */
#ifndef GR_KERNELS_KERNELS_H
#define GR_KERNELS_KERNELS_H

#include "kernels/adaboost_cut.h"
#include "kernels/axpy.h"
#include "kernels/bin_search.h"
#include "kernels/dot.h"
#include "kernels/forest_masks.h"
#include "kernels/gather.h"
#include "kernels/gram.h"
#include "kernels/histogram.h"
#include "kernels/histogram_outputs.h"
#include "kernels/lambda.h"
#include "kernels/leaf_lookup.h"
#include "kernels/m5_products.h"
#include "kernels/m5_spread.h"
#include "kernels/net_layers.h"
#include "kernels/ordinal.h"
#include "kernels/ranks.h"
#include "kernels/rounding.h"
#include "kernels/shap_tree.h"
#include "kernels/sigmoid.h"
#include "kernels/sort_rows.h"
#include "kernels/split_cuts.h"

typedef struct gr_kernel_entry {
    const char *name;
    const char *versions[GR_CPUS]; /* of gr_NAME_versions; the same name: the same version */
} gr_kernel_entry;

enum {
    GR_KERNEL_COUNT = 0
#define GR_KERNEL(...) +1
#include "kernels/kernels.def"
#undef GR_KERNEL
};

extern const gr_kernel_entry gr_kernel_table[GR_KERNEL_COUNT];
extern const char *const gr_cpu_names[GR_CPUS]; /* "baseline", "avx2", "avx512", "avx512-vbmi" */

#endif
