/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens of JSON text (RFC 8259), one after the other, without allocating: for json.c, which
 * builds a tree of them, and for the server, which reads numbers straight into rows. The text must be
 * valid UTF-8 without NUL; nesting is limited to GR_JSON_DEPTH. Errors give the byte offset:
 * "byte 12: expected ...". After an error the position is that of the error.
 *
 * Reading an object:
 *
 *     bool first = true, more;
 *     GR_TRY(gr_json_scan_open(&scan, '{'));
 *     for (;;) {
 *         GR_TRY(gr_json_scan_next(&scan, '}', &first, &more));
 *         if (!more)
 *             break;
 *         GR_TRY(gr_json_scan_key(&scan, key, &length));
 *         ... read or skip one value
 *     }
 */
#ifndef GR_BASE_JSON_SCAN_H
#define GR_BASE_JSON_SCAN_H

#include "base/json.h"

typedef struct gr_json_scan {
    const char *begin, *at, *end;
    size_t depth; /* open lists and objects */
    gradus_error *err;
} gr_json_scan;

static inline gr_json_scan gr_json_scan_new(const char *bytes, size_t size, gradus_error *err)
{
    return (gr_json_scan){ .begin = bytes, .at = bytes, .end = bytes + size, .err = err };
}

/* Fails with GRADUS_BAD_FORMAT at the current position. */
gradus_status gr_json_scan_fault(const gr_json_scan *scan, const char *what);
/* Skips white space and returns the kind of the value there, judged by its first character:
 * GR_JSON_NUMBER for anything that starts no other kind. The value itself is read by one of: */
gr_json_kind gr_json_scan_kind(gr_json_scan *scan);
/* bracket: '{' or '['. */
gradus_status gr_json_scan_open(gr_json_scan *scan, char bracket);
/* Moves to the next item, behind the comma, or behind the closing bracket: then *more is false. *first
 * must be true before the first item, and is set to false. */
gradus_status gr_json_scan_next(gr_json_scan *scan, char closing, bool *first, bool *more);
/* Reads a string into `text`, which must have space for the rest of the input plus a NUL; *length is
 * without the NUL. */
gradus_status gr_json_scan_string(gr_json_scan *scan, char *text, size_t *length);
/* The same for the key of a member, up to and including the colon. */
gradus_status gr_json_scan_key(gr_json_scan *scan, char *text, size_t *length);
/* Sets *text to the number as written: *length bytes of the input. */
gradus_status gr_json_scan_number(gr_json_scan *scan, const char **text, size_t *length);
/* Reads a number, rounded to float. One too large for a float becomes infinite. */
gradus_status gr_json_scan_float(gr_json_scan *scan, float *number);
/* Behind an item of a list: reads the items that follow, up to `count`, as long as they are numbers in a
 * short form without exponent, and returns how many. The rest is left to the functions above, which
 * also report errors. The same as calling these for each item, but faster. */
size_t gr_json_scan_more_floats(gr_json_scan *scan, float *numbers, size_t count);
gradus_status gr_json_scan_null(gr_json_scan *scan);
gradus_status gr_json_scan_flag(gr_json_scan *scan, bool *flag);
/* Skips a value of any kind. Keys of skipped objects need not be unique. */
gradus_status gr_json_scan_skip(gr_json_scan *scan);
/* Fails unless only white space is left. */
gradus_status gr_json_scan_end(gr_json_scan *scan);

#endif
