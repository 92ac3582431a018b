/* SPDX-License-Identifier: Apache-2.0 */
/* Models as program text: what the formats c and javascript share. A language is a table with the
 * text of every operation of graph_ops.def, and a function that writes the parts of the file in
 * order.
 *
 * In all texts @ stands for the name of the model and @@ for the name in capitals. In the texts of
 * operations
 *   $o $a $b $c   are the result and the inputs: an element in an expression, an array in statements
 *   $m $n         are the rows and columns of the result
 *   $h $k         are the rows and columns of the first input, $w the columns of the second
 *   $T            is the type of the result, $R a function that rounds to it ("": none is needed),
 *                 and $S the suffix of functions of that type
 *   $p            is the array of columns of PICK
 *   $t            is the first part of the names of the tables of a forest, $q its number of trees.
 *
 * source_plan.c assigns storage to the values, source_text.c writes names, numbers and tables, and
 * source_body.c the computation. */
#ifndef GR_EXCHANGE_SOURCE_TEXT_H
#define GR_EXCHANGE_SOURCE_TEXT_H

#include "exchange/format.h"
#include "exchange/source_plan.h"

typedef struct gr_op_text {
    const char *text; /* NULL: the language lacks the operation */
    bool is_block;    /* statements on arrays; else an expression for one element */
    unsigned helpers; /* bits: the helper functions that it calls, and those that these call */
} gr_op_text;

/* Types of tables, after those of values. */
enum { GR_TABLE_UINT32 = GR_GRAPH_TYPES, GR_TABLE_INT32, GR_TABLE_TYPES };

typedef struct gr_program gr_program;

typedef struct gr_language {
    const char *format; /* "c", for messages */
    const char *index;  /* how a loop declares its index: "size_t" */
    const char *prefix; /* of the names of tables */
    const char *types[GR_GRAPH_TYPES];
    const char *suffixes[GR_GRAPH_TYPES]; /* of functions: sqrtf */
    const char *rounds[GR_GRAPH_TYPES];
    gr_op_text ops[GR_GRAPH_OPS];
    const char *const *helpers; /* text of the helper of each bit, up to NULL */
    const char *const *taken;   /* names that a model cannot have, up to NULL; NULL: none */
    /* A number in a table, and one in an expression. */
    void (*number)(gr_buffer *out, int type, double number);
    void (*literal)(gr_buffer *out, int type, double number);
    /* What precedes and follows the numbers of a table. */
    void (*open_table)(const gr_program *source, int type, const char *name, size_t count);
    const char *close_table;
    void (*splits)(const gr_program *source, size_t value); /* of a FOREST or LEAVES */
    /* A function that computes some of the values: its head, and the declaration of a value or input
     * that it uses; NULL: values are global. */
    void (*open_part)(const gr_program *source, size_t part);
    void (*declare)(const gr_program *source, size_t value);
    const char *flags; /* what precedes the names of the flags "score" and "probabilities" */
    void (*write)(const gr_program *source);
} gr_language;

struct gr_program {
    const gr_language *language;
    const gradus_model *model; /* for its method and the names of its features */
    const gr_graph *graph;
    gr_program_plan plan;
    char name[GR_IDENTIFIER_SIZE];
    gr_buffer *out;
};

/* source_text.c */
/* The file of a model, or GRADUS_BAD_ARGUMENT and the reason why it cannot be written. */
gradus_status gr_program_export(const gr_language *language, const gradus_model *model,
                                const gr_export_options *options, gr_buffer *out,
                                gradus_error *err);
/* The same for a graph of the model. name: NULL: "model". */
gradus_status gr_program_write(const gr_language *language, const gradus_model *model,
                               const gr_graph *graph, const char *name, gr_buffer *out,
                               gradus_error *err);
/* Makes an identifier of any text: "my-model" is my_model, "2nd" is model_2nd. */
void gr_program_name(const gr_language *language, const char *text, char name[GR_IDENTIFIER_SIZE]);
void gr_program_put(const gr_program *source, const char *text); /* replaces @ and @@ */
/* Text from a model file, for a comment: other characters than letters, digits, blanks and . - _
 * become _. */
void gr_program_put_plain(const gr_program *source, const char *text);
/* Items of a list, with line breaks: starts a line if the item would not fit on the current one.
 * start: 0 before the first item. */
void gr_program_item(gr_buffer *out, size_t *start, const char *item, size_t length,
                     const char *indent);
void gr_program_put_helpers(const gr_program *source);
/* The constants, columns and forests of the graph. */
void gr_program_put_tables(const gr_program *source);
/* Children of a split, numbered across all trees of the forest; leaves are ~leaf. */
int32_t gr_program_child(const gr_forest *forest, size_t tree, int32_t child);
/* Whether any value that is computed has the operation. */
bool gr_program_uses(const gr_program *source, gr_graph_op op);
/* Whether a value is a constant that is written as a number where it is used. */
bool gr_program_is_literal(const gr_program *source, size_t value);

/* source_body.c */
/* The array of a value. */
void gr_program_put_value(const gr_program *source, size_t value);
/* The functions that compute the values in order, numbered from 1; returns their number. A function of
 * all values would compile slowly, and engines do not optimize it. */
size_t gr_program_put_parts(const gr_program *source);

/* export_c.c */
extern const gr_language gr_language_c;
/* export_javascript.c */
extern const gr_language gr_language_javascript;

/* Terms of the series of gr_exp and gr_log (base/math.c), the same text in both languages, and its
 * other constants: ln 2 in two parts, 1 / ln 2 and the square root of 1/2. */
#define GR_PROGRAM_EXP_TERMS                                                                       \
    "1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,\n"   \
    "        1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0"
#define GR_PROGRAM_LOG_TERMS                                                                       \
    "2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19,\n"      \
    "        2.0 / 21, 2.0 / 23"
#define GR_PROGRAM_LN2_HIGH "0.6931471803691238"
#define GR_PROGRAM_LN2_LOW "1.9082149292705877e-10"
#define GR_PROGRAM_LOG2_E "1.4426950408889634"
#define GR_PROGRAM_HALF_ROOT "0.7071067811865476"

#endif
