/* SPDX-License-Identifier: Apache-2.0 */
/* Splits the XML of RankLib into tags and texts. */
#include "exchange/xml_tokens.h"

#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool starts_with(const gr_xml_reader *reader, const char *text)
{
    const size_t length = strlen(text);

    return reader->file->size - reader->at >= length &&
           memcmp(reader->file->bytes + reader->at, text, length) == 0;
}

static gradus_status skip_past(gr_xml_reader *reader, const char *text, gradus_error *err)
{
    const char *bytes = reader->file->bytes;
    const char *found =
        memmem(bytes + reader->at, reader->file->size - reader->at, text, strlen(text));

    if (!found)
        return gr_import_fail(reader->file, reader->at, err, GRADUS_BAD_FORMAT,
                              "the file ends within a tag or comment");
    reader->at = (size_t)(found - bytes) + strlen(text);
    return GRADUS_OK;
}

/* Skips spaces and comments. */
static gradus_status skip_comments(gr_xml_reader *reader, gradus_error *err)
{
    const gr_import_file *file = reader->file;

    for (;;) {
        while (reader->at < file->size && is_space(file->bytes[reader->at]))
            reader->at++;
        if (reader->at == file->size)
            return GRADUS_OK;
        if (file->bytes[reader->at] == '#') {
            const char *end = memchr(file->bytes + reader->at, '\n', file->size - reader->at);

            reader->at = end ? (size_t)(end - file->bytes) : file->size;
        } else if (starts_with(reader, "<!--")) {
            GR_TRY(skip_past(reader, "-->", err));
        } else if (starts_with(reader, "<?")) {
            GR_TRY(skip_past(reader, "?>", err));
        } else {
            return GRADUS_OK;
        }
    }
}

static gradus_status read_tag(gr_xml_reader *reader, gr_xml_token *token, gradus_error *err)
{
    const gr_import_file *file = reader->file;
    const bool closes = reader->at + 1 < file->size && file->bytes[reader->at + 1] == '/';

    token->kind = closes ? GR_XML_CLOSE : GR_XML_OPEN;
    token->begin = token->end = reader->at + 1 + closes;
    GR_TRY(skip_past(reader, ">", err));
    token->rest = reader->at - 1;
    while (token->end < token->rest && !is_space(file->bytes[token->end]))
        token->end++;
    if (token->begin == token->end || file->bytes[token->rest - 1] == '/')
        return gr_import_fail(file, token->at, err, GRADUS_BAD_FORMAT,
                              "a tag is empty or closes itself");
    return GRADUS_OK;
}

gradus_status gr_xml_next(gr_xml_reader *reader, gr_xml_token *token, gradus_error *err)
{
    const gr_import_file *file = reader->file;

    GR_TRY(skip_comments(reader, err));
    *token = (gr_xml_token){ .kind = GR_XML_END, .at = reader->at };
    if (reader->at == file->size)
        return GRADUS_OK;
    if (file->bytes[reader->at] == '<')
        return read_tag(reader, token, err);
    const char *end = memchr(file->bytes + reader->at, '<', file->size - reader->at);

    token->kind = GR_XML_TEXT;
    token->begin = reader->at;
    reader->at = token->end = end ? (size_t)(end - file->bytes) : file->size;
    while (is_space(file->bytes[token->end - 1]))
        token->end--;
    return GRADUS_OK;
}

bool gr_xml_is(const gr_xml_reader *reader, const gr_xml_token *token, const char *name)
{
    const size_t length = strlen(name);

    return token->kind <= GR_XML_CLOSE && token->end - token->begin == length &&
           memcmp(reader->file->bytes + token->begin, name, length) == 0;
}

bool gr_xml_attribute(const gr_xml_reader *reader, const gr_xml_token *token, const char *name,
                      size_t *begin, size_t *end)
{
    const char *bytes = reader->file->bytes;
    const size_t length = strlen(name);

    for (size_t at = token->end; at + length + 2 < token->rest; at++) {
        const char quote = bytes[at + length + 2];
        const char *close;

        if (!is_space(bytes[at]) || memcmp(bytes + at + 1, name, length) != 0 ||
            bytes[at + 1 + length] != '=' || (quote != '"' && quote != '\''))
            continue;
        *begin = at + length + 3;
        close = memchr(bytes + *begin, quote, token->rest - *begin);
        if (!close)
            return false;
        *end = (size_t)(close - bytes);
        return true;
    }
    return false;
}
