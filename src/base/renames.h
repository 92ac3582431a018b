/* SPDX-License-Identifier: Apache-2.0 */
/* Options that had another name in an earlier version. */
#ifndef GR_BASE_RENAMES_H
#define GR_BASE_RENAMES_H

/* The present name of an option of an operation ("train", "synth web") that was renamed; NULL if
 * the name was never used for another. '-' and '_' are the same. */
const char *gr_option_renamed(const char *operation, const char *name);

#endif
