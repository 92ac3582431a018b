/* SPDX-License-Identifier: Apache-2.0 */
/* A command is a file that ends in a description of itself. To add one: write cli/<name>.c with a
 * `const command command_<name>`, and add its row to commands.def. Parsing, help, the manual page
 * and completion come from the description; tests/cli checks that they agree. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "gradus.h"
#include "text.h"

/* An option of the command itself; options of library operations come from the library. */
typedef struct option {
    const char *name;     /* after "--"; NULL ends the list */
    char letter;          /* after "-", or 0 */
    const char *argument; /* NULL: a flag */
    const char *help;
    gradus_path_role path; /* what the command does with the file that the value names */
    bool many;             /* may be given several times */
    bool named;            /* a value may be NAME=FILE (file_of_set) */
} option;

typedef struct example {
    const char *line, *what;
} example;

enum { MOST_OPERATIONS = 4 };

typedef struct arguments arguments;

typedef struct command {
    const char *name;
    const char *summary;
    const char *usage;       /* "gradus eval DATA SCORES... [options]"; lines for several forms */
    const char *description; /* paragraphs for the manual, separated by blank lines */
    const option *options;
    const char *operations[MOST_OPERATIONS + 1]; /* whose parameters it takes; NULL ends it */
    const char *metric; /* what --metric is by default here; NULL: as the library has it */
    const char *kinds;  /* a catalogue: the first word is one of its names (synth) */
    size_t output_word; /* the word, from 1, that names the output; 0: none. The others are read */
    bool words_are_names; /* of experiments or topics, not of files */
    const example *examples;
    int (*run)(arguments *given);
} command;

/* What was typed for an option of the command itself. */
typedef struct option_values {
    const char *first; /* NULL: not given; "" for a flag that is set */
    const char **all;  /* of an option that may be given several times, in order */
    size_t count;
} option_values;

/* What was typed, checked. */
struct arguments {
    const command *command;
    char **words; /* neither options nor their values */
    size_t count;
    option_values *values; /* of the command's own options, one for each */
    const char **seen;     /* names of the options so far */
    size_t seen_count, most_words;
    gradus_options *options[MOST_OPERATIONS + 1]; /* of its operations, in order */
    gradus_context *context;
    uint64_t seed;
    uint64_t threads;
    uint64_t max_memory; /* bytes; 0: no limit */
    bool quiet, json;
    char *typed; /* the whole command, as a shell would take it again */
};

#define COMMAND(name) extern const command command_##name;
#include "commands.def"
#undef COMMAND

const command *command_at(size_t index); /* NULL past the last */
const command *command_find(const char *name);
/* Runs the command line, words[0] being the program; exit status. */
int run_command(int count, char **words);

/* Fills given from the words after the command's name. Exit status, or -1 to go on. */
int arguments_parse(arguments *given, const command *chosen, int count, char **words);
void arguments_free(arguments *given);
/* Refuses a command that would write to a file it reads, or twice to the same file. Exit
 * status: 0 if nothing is wrong. */
int check_paths(const arguments *given);
/* The same for an output whose path the command makes up; name: the option it belongs to, "-o", or
 * "". */
int check_output(const arguments *given, const char *name, const char *file);
/* The value of the command's own option, or NULL. */
const char *argument(const arguments *given, const char *name);
/* All values of an option that may be given several times, in order; the count. */
size_t argument_list(const arguments *given, const char *name, const char *const **values);
/* Whether an option of any kind was typed; name: not an alias. */
bool option_given(const arguments *given, const char *name);
/* The file of a value NAME=FILE, and the length of the name; of others the value, and 0. A file that
 * exists by the whole value is meant by it. */
const char *file_of_set(const char *value, size_t *name_length);
/* The options of an operation. */
gradus_options *options_of(const arguments *given, const char *operation);

/* The options every command takes. */
extern const option common_options[];

/* A whole number in decimal digits, at most `most`. */
bool parse_count(const char *word, uint64_t most, uint64_t *count);

/* On standard error, control characters of names escaped; the format ends its own lines. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "gradus: message" on standard error; the exit status for it. */
int fail(const gradus_error *err);
int fail_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes to a file, whole or not at all ("-" is standard output), and checks that all of it
 * arrived; exit status. */
int write_text(const text *t, const char *path);
/* The same to standard output; frees the text. */
int print_text(text *t);
/* The text of a library catalogue's entry by name; false if there is none. */
bool find_entry(const char *catalogue, const char *name, gradus_entry *entry);

#endif
