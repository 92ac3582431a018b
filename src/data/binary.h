/* The binary data file: the arrays of a dataset, checksummed, to be mapped into memory. */
#ifndef GR_DATA_BINARY_H
#define GR_DATA_BINARY_H

#include "data/dataset.h"

typedef struct gr_binary gr_binary;

void gr_binary_close(gr_binary *binary); /* NULL is accepted */
/* Verifies the checksums and the structure of the given parts, each once. */
gradus_status gr_binary_check(gr_binary *binary, unsigned parts, gr_pool *pool, gradus_error *err);

#endif
