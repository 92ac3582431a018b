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
} option;

typedef struct example {
    const char *line, *what;
} example;

enum { MOST_OPTIONS = 12, MOST_OPERATIONS = 4 };

typedef struct arguments arguments;

typedef struct command {
    const char *name;
    const char *summary;
    const char *usage;       /* "gradus eval DATA SCORES... [options]"; lines for several forms */
    const char *description; /* paragraphs for the manual, separated by blank lines */
    const option *options;
    const char *operations[MOST_OPERATIONS + 1]; /* whose parameters it takes; NULL ends it */
    const char *kinds; /* a catalogue: the first word is one of its names (synth) */
    const example *examples;
    int (*run)(arguments *given);
} command;

/* What was typed, checked. */
struct arguments {
    const command *command;
    char **words; /* neither options nor their values */
    size_t count;
    const char *values[MOST_OPTIONS]; /* of the command's own options; "" for a flag that is set */
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

/* Fills given from the words after the command's name. Exit status, or -1 to go on. */
int arguments_parse(arguments *given, const command *chosen, int count, char **words);
void arguments_free(arguments *given);
/* The value of the command's own option, or NULL. */
const char *argument(const arguments *given, const char *name);
/* The options of an operation. */
gradus_options *options_of(const arguments *given, const char *operation);

/* The options every command takes. */
extern const option common_options[];

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
