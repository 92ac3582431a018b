/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters. Each is declared once, as a row of a table next to the code that uses it; parsing,
 * checking, help, manual pages, completion and bindings all read that table. */
#ifndef GR_BASE_PARAM_H
#define GR_BASE_PARAM_H

#include "base/error.h"

typedef struct gr_param {
    gradus_param about;
    size_t offset;                /* of the field in the operation's options struct */
    const struct gr_param *group; /* not a parameter but a table, for the struct at offset */
    const char *tuned; /* default search range of `tune`, "8..256:log"; NULL: not tuned */
} gr_param;

/* The options of a component whose struct the operation does not know: its table and size. */
typedef struct gr_option_block {
    const gr_param *params;
    size_t size;
} gr_option_block;

/* Defines gr_NAME_option_block from gr_NAME_params and gr_NAME_options. */
#define GR_OPTION_BLOCK(name)                                                                      \
    const gr_option_block gr_##name##_option_block = { gr_##name##_params,                         \
                                                       sizeof(gr_##name##_options) }

/* An operation and its parameters; `size` is the size of its options struct. */
typedef struct gr_operation {
    const char *name;
    const char *summary;
    const gr_param *params; /* terminated by GR_PARAM_END */
    size_t size;
    /* Values that setting a parameter implies for other parameters that the user has not set, as
     * space-separated "name=value" words; "" or NULL: nothing. The function is NULL if no parameter
     * implies another. */
    const char *(*implies)(const char *name, const char *value);
    /* NULL-terminated; stored after the options struct, in this order. NULL: none. */
    const gr_option_block *const *blocks;
} gr_operation;

struct gradus_options {
    const gr_operation *operation;
    void *values;                   /* the operation's options struct, followed by its blocks */
    bool *given;                    /* one per parameter: whether the user has set it */
    char shown[GRADUS_NUMBER_SIZE]; /* buffer of gr_options_value for numbers */
};

/* The offset of a field; does not compile unless the field has the required type. */
#define GR_OFFSET(type, field, wanted)                                                             \
    (offsetof(type, field) +                                                                       \
     0 * sizeof(                                                                                   \
             char[__builtin_types_compatible_p(__typeof__(((type *)0)->field), wanted) ? 1 : -1]))

/* A row ends with its help text and, optionally, the option's names in other tools, separated by
 * spaces: GR_PARAM_COUNT(..., "maximum leaves per tree", "num-leaves max-leaves"). */
#define GR_FIRST_OF(first, ...) first
#define GR_SECOND_OF(first, second, ...) second
#define GR_HELP_OF(...) GR_FIRST_OF(__VA_ARGS__, NULL)
#define GR_ALIASES_OF(...) GR_SECOND_OF(__VA_ARGS__, NULL, NULL)

/* Field types: FLAG bool, COUNT uint64_t, REAL double, CHOICE int (index of the choice), TEXT const
 * char *. */
#define GR_PARAM_FLAG(type, field, name, ...)                                                      \
    {                                                                                              \
        { name, NULL, GR_HELP_OF(__VA_ARGS__),   "false", NULL, 0, 1, GRADUS_FLAG,                 \
          0,    NULL, GR_ALIASES_OF(__VA_ARGS__) },                                                \
            GR_OFFSET(type, field, bool), NULL, NULL                                               \
    }
#define GR_PARAM_COUNT(type, field, name, argument, initial, low, high, ...)                       \
    GR_TUNED_COUNT(type, field, name, argument, initial, low, high, NULL, __VA_ARGS__)
#define GR_PARAM_REAL(type, field, name, argument, initial, low, high, ...)                        \
    GR_TUNED_REAL(type, field, name, argument, initial, low, high, NULL, __VA_ARGS__)
#define GR_PARAM_CHOICE(type, field, name, argument, initial, choices, ...)                        \
    GR_TUNED_CHOICE(type, field, name, argument, initial, choices, NULL, __VA_ARGS__)
#define GR_PARAM_TEXT(type, field, name, argument, initial, ...)                                   \
    GR_TUNED_TEXT(type, field, name, argument, initial, NULL, __VA_ARGS__)
/* With the default search range of `tune`, in the syntax of its spaces: "8..256:log", "none|m5". */
#define GR_TUNED_COUNT(type, field, name, argument, initial, low, high, tuned, ...)                \
    GR_CHOSEN_COUNT(type, field, name, argument, initial, low, high, tuned, NULL, __VA_ARGS__)
/* With a default that training chooses from the data by `rule`, a phrase for the help; `initial`
 * applies without data. */
#define GR_CHOSEN_COUNT(type, field, name, argument, initial, low, high, tuned, rule, ...)         \
    GR_NUMBER(type, field, GRADUS_COUNT, uint64_t, name, argument, initial, low, high, tuned,      \
              rule, __VA_ARGS__)
#define GR_TUNED_REAL(type, field, name, argument, initial, low, high, tuned, ...)                 \
    GR_NUMBER(type, field, GRADUS_REAL, double, name, argument, initial, low, high, tuned, NULL,   \
              __VA_ARGS__)
#define GR_NUMBER(type, field, kind, number, name, argument, initial, low, high, tuned, rule, ...) \
    {                                                                                              \
        { name,                                                                                    \
          argument,                                                                                \
          GR_HELP_OF(__VA_ARGS__),                                                                 \
          #initial,                                                                                \
          NULL,                                                                                    \
          (double)(low),                                                                           \
          (double)(high),                                                                          \
          kind,                                                                                    \
          0,                                                                                       \
          rule,                                                                                    \
          GR_ALIASES_OF(__VA_ARGS__) },                                                            \
            GR_OFFSET(type, field, number), NULL, tuned                                            \
    }
#define GR_TUNED_CHOICE(type, field, name, argument, initial, choices, tuned, ...)                 \
    {                                                                                              \
        { name, argument, GR_HELP_OF(__VA_ARGS__),   initial, choices, 0, 0, GRADUS_CHOICE,        \
          0,    NULL,     GR_ALIASES_OF(__VA_ARGS__) },                                            \
            GR_OFFSET(type, field, int), NULL, tuned                                               \
    }
#define GR_TUNED_TEXT(type, field, name, argument, initial, tuned, ...)                            \
    GR_TUNED_PATH(type, field, name, argument, initial, GRADUS_PATH_NONE, tuned, __VA_ARGS__)
/* Texts that are paths of files. */
#define GR_PARAM_PATH(type, field, name, argument, initial, role, ...)                             \
    GR_TUNED_PATH(type, field, name, argument, initial, role, NULL, __VA_ARGS__)
#define GR_TUNED_PATH(type, field, name, argument, initial, role, tuned, ...)                      \
    {                                                                                              \
        { name, argument, GR_HELP_OF(__VA_ARGS__),   initial, NULL, 0, 0, GRADUS_TEXT,             \
          role, NULL,     GR_ALIASES_OF(__VA_ARGS__) },                                            \
            GR_OFFSET(type, field, const char *), NULL, tuned                                      \
    }
/* Includes the parameter table of a component whose options struct is a field of this one. */
#define GR_PARAM_GROUP(type, field, part, table)                                                   \
    {                                                                                              \
        { NULL, NULL, NULL, NULL, NULL, 0, 0, GRADUS_FLAG, 0, NULL, NULL },                        \
            GR_OFFSET(type, field, part), table, NULL                                              \
    }
/* Includes another table of the same struct. */
#define GR_PARAM_TABLE(table)                                                                      \
    {                                                                                              \
        { NULL, NULL, NULL, NULL, NULL, 0, 0, GRADUS_FLAG, 0, NULL, NULL }, 0, table, NULL         \
    }
/* The place of the parameters of the operation's blocks in the order of its table. */
#define GR_PARAM_BLOCKS GR_PARAM_TABLE(gr_params_of_blocks)
extern const gr_param gr_params_of_blocks[];
#define GR_PARAM_END                                                                               \
    {                                                                                              \
        { NULL, NULL, NULL, NULL, NULL, 0, 0, GRADUS_FLAG, 0, NULL, NULL }, 0, NULL, NULL          \
    }

/* The index-th parameter of the operation, counting those of groups; its offset is relative to the
 * operation's struct. False past the last one. */
bool gr_param_number(const gr_operation *operation, size_t index, gr_param *param);
/* Finds a parameter by name or alias, where '_' matches '-'; false if unknown. */
bool gr_param_named(const gr_operation *operation, const char *name, gr_param *param);

gradus_options *gr_options_new(const gr_operation *operation, gradus_error *err);
gradus_status gr_options_set(gradus_options *options, const char *name, const char *value,
                             gradus_error *err);
/* Sets a count, a real or a flag (0 or 1) from a number. */
gradus_status gr_options_set_number(gradus_options *options, const char *name, double value,
                                    gradus_error *err);
/* Sets a count or a flag; other kinds are errors. */
gradus_status gr_options_set_count(gradus_options *options, const char *name, uint64_t value,
                                   gradus_error *err);
gradus_status gr_options_set_flag(gradus_options *options, const char *name, bool value,
                                  gradus_error *err);
/* The field of an option whose kind is one of a set of 1u << gradus_param_kind. *param: the
 * option. NULL on failure. */
const void *gr_options_field(const gradus_options *options, const char *name, unsigned kinds,
                             gr_param *param, gradus_error *err);
/* Sets options from "name=value name=value"; values contain no spaces. */
gradus_status gr_options_take(gradus_options *options, const char *words, gradus_error *err);
/* A deep copy. */
gradus_options *gr_options_copy(const gradus_options *options, gradus_error *err);
/* The current value as text; "" for an unknown name. Valid until the next call. */
const char *gr_options_value(gradus_options *options, const char *name);
/* Whether the user has set it. */
bool gr_options_given(const gradus_options *options, const char *name);
void gr_options_free(gradus_options *options);

/* Copies the values (the defaults if options is NULL) into the operation's struct. Texts remain
 * owned by options. Fails if the options belong to another operation, and for operations with
 * blocks, which need gr_options_view. */
gradus_status gr_options_get(const gradus_options *options, const gr_operation *operation,
                             void *values, gradus_error *err);
/* The operation's struct within options, where it follows later changes; NULL if the options belong
 * to another operation. */
const void *gr_options_view(const gradus_options *options, const gr_operation *operation,
                            gradus_error *err);
/* A block of the operation, in values returned by gr_options_view; NULL: it has no such block. */
const void *gr_options_block(const void *values, const gr_operation *operation,
                             const gr_option_block *block);

#endif
