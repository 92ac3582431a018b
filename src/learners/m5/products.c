#include "learners/m5/products.h"

#define WIDTH 2
#define TARGET
#include "learners/m5/products_body.h"

#if defined(__x86_64__)
#define WIDTH 4
#define TARGET GR_TARGET_4
#include "learners/m5/products_body.h"

#define WIDTH 8
#define TARGET GR_TARGET_8
#include "learners/m5/products_body.h"

gr_m5_products_kernel *const gr_m5_products_kernels[GR_VERSIONS] = { products_2, products_4,
                                                                     products_8 };
#else
gr_m5_products_kernel *const gr_m5_products_kernels[GR_VERSIONS] = { products_2 };
#endif
