/* SPDX-License-Identifier: Apache-2.0 */
/* A command is a file that ends with its own description. To add one: write cli/<name>.c with a
 * `const command command_<name>`, and add its row to commands.def. Parsing, help, the manual page
 * and completion come from the description; tests/cli checks that they agree. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "gradus.h"
#include "print_text.h"

/* An option of the command itself; those of library operations are declared in the library. */
typedef struct option {
    const char *name;     /* after "--"; NULL ends the list */
    char letter;          /* after "-", or 0 */
    const char *argument; /* NULL: a flag */
    const char *help;
    gradus_path_role path; /* whether the value names a file to read or write */
    bool many;             /* may be given several times */
    bool named;            /* a value may be NAME=FILE (file_of_set) */
} option;

typedef struct example {
    const char *line, *what;
} example;

enum { MAX_OPERATIONS = 4 };

typedef struct arguments arguments;

typedef struct command {
    const char *name;
    const char *summary;
    const char *usage;       /* "gradus eval DATA SCORES... [options]"; lines for several forms */
    const char *description; /* paragraphs for the manual, separated by blank lines */
    const option *options;
    const char *operations[MAX_OPERATIONS + 1]; /* whose parameters it takes, up to NULL */
    const char *metric;                         /* default of --metric; NULL: the library's */
    const char *kinds;    /* a catalogue: the first word is one of its names (synth) */
    size_t output_word;   /* the word, from 1, that names the output; 0: none. Others are read */
    bool words_are_names; /* words name experiments or topics, not files */
    const example *examples;
    int (*run)(arguments *given);
} command;

/* The values of one of the command's own options. */
typedef struct option_values {
    const char *first; /* NULL: not given; "" for a flag that is set */
    const char **all;  /* if it may be given several times: all values, in order */
    size_t count;
} option_values;

/* The parsed and checked command line. */
struct arguments {
    const command *command;
    char **words; /* positional arguments */
    size_t count;
    option_values *values; /* one per option of the command itself */
    const char **seen;     /* names of the options parsed so far */
    size_t seen_count, most_words;
    gradus_options *options[MAX_OPERATIONS + 1]; /* of its operations, in order */
    gradus_context *context;
    uint64_t seed;
    uint64_t threads;
    uint64_t max_memory; /* bytes; 0: no limit */
    bool quiet, json;
    char *typed; /* the whole command, quoted for a shell */
};

#define COMMAND(name) extern const command command_##name;
#include "commands.def"
#undef COMMAND

/* dispatch.c */
const command *command_at(size_t index); /* NULL past the last */
const command *command_find(const char *name);
/* Runs the command line, words[0] being the program; exit status. */
int run_command(int count, char **words);

/* arguments.c */
/* Fills given from the words after the command's name. Exit status, or -1 to continue. */
int arguments_parse(arguments *given, const command *chosen, int count, char **words);
void arguments_free(arguments *given);
/* paths.c */
/* Refuses a command that would write to a file it reads, or twice to the same file. Exit status, 0
 * if all is well. */
int check_paths(const arguments *given);
/* The same for an output path that the command derives; name: the option it belongs to, "-o", or
 * "". */
int check_output(const arguments *given, const char *name, const char *file);
/* Visits the files that the command reads. name: the option as typed, "--train"; "": an argument. */
void each_read_file(const arguments *given,
                    void (*visit)(void *user, const char *name, const char *file), void *user);
/* arguments.c */
/* The value of the command's own option, or NULL. */
const char *argument(const arguments *given, const char *name);
/* All values of an option that may be given several times, in order; the count. */
size_t argument_list(const arguments *given, const char *name, const char *const **values);
/* Whether an option of any kind was typed; name: not an alias. */
bool option_given(const arguments *given, const char *name);
/* paths.c */
/* Splits NAME=FILE: returns FILE and sets the length of NAME. Returns the whole value, and length
 * 0, if there is no name or if a file of the whole name exists. */
const char *file_of_set(const char *value, size_t *name_length);
/* arguments.c */
/* The options of an operation. */
gradus_options *options_of(const arguments *given, const char *operation);

/* The options of every command. */
extern const option common_options[];

/* A whole number in decimal digits, at most `most`. */
bool parse_count(const char *word, uint64_t most, uint64_t *count);

/* Prints to standard error with control characters escaped; adds no newline. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints "gradus: message" to standard error; returns the exit status. */
int fail(const gradus_error *err);
int fail_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* write_output.c */
/* Writes a file completely or not at all ("-" is standard output); exit status. */
int write_text(const text *t, const char *path);
/* The same to standard output; frees the text. */
int print_text(text *t);
/* arguments.c */
/* Finds an entry of a library catalogue by name; false if not found. */
bool find_entry(const char *catalogue, const char *name, gradus_entry *entry);

#endif
