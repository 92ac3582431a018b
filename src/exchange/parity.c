/* SPDX-License-Identifier: Apache-2.0 */
/* Parity files. */
#include "exchange/parity.h"

gradus_status gr_parity(const gradus_model *model, const gr_format *format, const char *file,
                        const char *parity, gr_buffer *out, gradus_error *err)
{
    (void)model;
    (void)file;
    (void)parity;
    gr_buffer_format(out, "# %s\n", format->about.name);
    return gr_buffer_done(out, err);
}
