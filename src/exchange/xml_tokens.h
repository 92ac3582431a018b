/* SPDX-License-Identifier: Apache-2.0 */
/* The tags and texts of the XML subset in which RankLib and QuickRank write trees. Lines that start
 * with '#' are comments, as are <!-- --> and <? ?>; entities are not replaced. */
#ifndef GR_EXCHANGE_XML_TOKENS_H
#define GR_EXCHANGE_XML_TOKENS_H

#include "exchange/import_file.h"

typedef enum gr_xml_kind {
    GR_XML_OPEN,  /* <name ...> */
    GR_XML_CLOSE, /* </name> */
    GR_XML_TEXT,  /* without spaces at its ends; never empty */
    GR_XML_END    /* of the file */
} gr_xml_kind;

typedef struct gr_xml_token {
    gr_xml_kind kind;
    size_t at;         /* position of the tag or text */
    size_t begin, end; /* the name of a tag, or the text */
    size_t rest;       /* of a tag: attributes are from `end` to here */
} gr_xml_token;

typedef struct gr_xml_reader {
    const gr_import_file *file;
    size_t at;
} gr_xml_reader;

gradus_status gr_xml_next(gr_xml_reader *reader, gr_xml_token *token, gradus_error *err);
/* Whether a tag has a name. */
bool gr_xml_is(const gr_xml_reader *reader, const gr_xml_token *token, const char *name);
/* The value of an attribute, without quotes; false if the tag does not have it. */
bool gr_xml_attribute(const gr_xml_reader *reader, const gr_xml_token *token, const char *name,
                      size_t *begin, size_t *end);

#endif
