/* SPDX-License-Identifier: Apache-2.0 */
/* gradus/datasets.h - rows of features with labels, grouped by query; scores.
 * A part of gradus.h, which has the conventions; include that. */
#ifndef GRADUS_DATASETS_H
#define GRADUS_DATASETS_H
#include "gradus/basics.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Data: rows of features with labels, grouped by query ----
 *
 * Example: generate a file of 30 queries, read it, and split it 2:1.
 *
 *     gradus_options *web = gradus_options_new("synth web", &err);
 *     gradus_options_set_number(web, "queries", 30, &err);
 *     if (gradus_synth_write(context, web, "web.txt", NULL, &err) != GRADUS_OK)
 *         return 1;
 *     gradus_options_free(web);
 *
 *     gradus_dataset *data = gradus_dataset_read(context, "web.txt", NULL, &err);
 *     if (!data) {
 *         fprintf(stderr, "%s\n", err.message); // names the file, line and column
 *         return 1;
 *     }
 *     size_t first[20], last[10];
 *     for (size_t q = 0; q < gradus_dataset_queries(data); q++)
 *         *(q < 20 ? &first[q] : &last[q - 20]) = q;
 *     gradus_dataset *train = gradus_dataset_subset(context, data, first, 20, &err);
 *     gradus_dataset *test = gradus_dataset_subset(context, data, last, 10, &err);
 *     if (!train || !test)
 *         return 1;
 */

typedef struct gradus_dataset gradus_dataset;

/* Reads LETOR/SVMlight text, CSV/TSV or gradus binary, plain or compressed with gzip or zstd; "-"
 * is standard input. The format is detected from the content. options: operation "read", or NULL.
 */
GRADUS_API gradus_dataset *gradus_dataset_read(gradus_context *context, const char *path,
                                               const gradus_options *options, gradus_error *err);
/* Reads several files (count >= 1) as one dataset, in the order given. A query id found in two
 * files is an error, unless the option join-queries merges its rows into one query. LETOR files may
 * have different numbers of features: the dataset has the largest. CSV files must have the same
 * feature names in the same order. Weight files (row-weights, query-weights) cover the rows and
 * queries of all files together. */
GRADUS_API gradus_dataset *gradus_dataset_read_files(gradus_context *context,
                                                     const char *const *paths, size_t count,
                                                     const gradus_options *options,
                                                     gradus_error *err);
/* The same for data that gradus_training_new will be called with, with the options `train`
 * (operation "train", or NULL; read: operation "read", or NULL). If the learner needs only bins of
 * the features (boosted trees), the data are one uncompressed text or CSV file and have at least
 * twice as many rows as the option bin-sample, the dataset holds bins instead of values, one byte
 * instead of four. The model and its scores are the same. Functions that need the values read them
 * from the file again, which must be unchanged. */
GRADUS_API gradus_dataset *gradus_dataset_read_for_training(gradus_context *context,
                                                            const char *const *paths, size_t count,
                                                            const gradus_options *read,
                                                            const gradus_options *train,
                                                            gradus_error *err);
/* As gradus_dataset_read_files, by all processes of a context with collectives: a collective call. Each
 * keeps only its rows: its part of one text or CSV file, or its files of a list with at least as many
 * files as processes (docs/guide/cluster.md). Scoring and describing such data are collective calls, too. */
GRADUS_API gradus_dataset *gradus_dataset_read_shared(gradus_context *context,
                                                      const char *const *paths, size_t count,
                                                      const gradus_options *options,
                                                      gradus_error *err);
/* Writes a dataset; on failure no partial file remains. "-" is standard output. options: operation
 * "write", or NULL: the format follows from the file name. */
GRADUS_API gradus_status gradus_dataset_write(gradus_context *context, const gradus_dataset *data,
                                              const char *path, const gradus_options *options,
                                              gradus_error *err);
/* Reads files and writes bins instead of values (operation "bin", or NULL), for boosted trees. */
GRADUS_API gradus_status gradus_bin_files(gradus_context *context, const char *const *paths,
                                          size_t count, const gradus_options *read,
                                          const gradus_options *bin, const char *to,
                                          gradus_error *err);
/* Frees a dataset. Arrays passed to gradus_dataset_borrow remain the caller's. */
GRADUS_API void gradus_dataset_free(gradus_dataset *data);

/* A list of names; its length follows from what it names. Name i is the NUL-terminated string at
 * bytes + starts[i] and ends before bytes + starts[i + 1], so that starts has one element more than
 * there are names; starts[0] is 0. starts NULL: no names. */
typedef struct gradus_names {
    const char *bytes;
    const uint64_t *starts;
} gradus_names;

/* A dataset as arrays. Dense: feature f of row r is values[r * stride + f]. Sparse (values NULL):
 * row r owns columns[i] and entries[i] for row_starts[r] <= i < row_starts[r + 1], with columns
 * ascending within a row. NAN is a missing value; an absent sparse entry is 0. Start with all zeros
 * ({ 0 } or named members): later versions may add members. */
typedef struct gradus_arrays {
    size_t rows, features;
    const float *values;
    size_t stride;
    const uint64_t *row_starts;
    const uint32_t *columns;
    const float *entries;
    const float *labels;
    /* 0: no query information, so all rows form one query; methods that compare rows within a query
     * then require the option "one-query" */
    size_t queries;
    const uint64_t *query_starts; /* queries + 1 row offsets; NULL if queries is 0 */
    const float *row_weights;     /* NULL: all 1 */
    const float *query_weights;   /* NULL: all 1 */
    gradus_names feature_names, query_names, document_names; /* of features, queries and rows */
    /* Only for gradus_dataset_copy, instead of query_starts and query_names: the query of each row,
     * by number or by name, in any order. At most one of them. */
    const int64_t *row_query_ids;
    gradus_names row_query_names;
} gradus_arrays;

/* Creates a dataset over the caller's arrays without copying them: they, and the names, must
 * outlive it. There must be at least one row, and no query may be empty. Offsets, columns, labels
 * (finite), weights (finite and >= 0) and names are checked. */
GRADUS_API gradus_dataset *gradus_dataset_borrow(const gradus_arrays *arrays, gradus_error *err);
/* Creates a dataset with a copy of the arrays, which are checked in the same way and may be freed
 * afterwards. With row_query_ids or row_query_names, rows are grouped by query: queries are in
 * order of first appearance, and rows of a query keep their order. If this moves rows, a note says
 * so, and gradus_dataset_file_order gives the order of the arrays. The ids become the names of the
 * queries. `queries` may then be 0: it is counted; query_weights, in order of first appearance,
 * require it. */
GRADUS_API gradus_dataset *gradus_dataset_copy(gradus_context *context, const gradus_arrays *arrays,
                                               gradus_error *err);
/* Gets the arrays and names of a dataset, valid as long as it exists. The first use of a binary
 * file verifies its contents, which can fail. */
GRADUS_API gradus_status gradus_dataset_arrays(gradus_context *context, const gradus_dataset *data,
                                               gradus_arrays *arrays, gradus_error *err);
/* Returns the number of rows (documents). */
GRADUS_API size_t gradus_dataset_rows(const gradus_dataset *data);
/* Returns the number of features (columns), including those without a value in any row. */
GRADUS_API size_t gradus_dataset_features(const gradus_dataset *data);
/* Returns the number of queries; 1 for data without query information. */
GRADUS_API size_t gradus_dataset_queries(const gradus_dataset *data);
/* Returns whether the data have query information; without it all rows form one query. */
GRADUS_API bool gradus_dataset_has_queries(const gradus_dataset *data);
/* Sets *fingerprint to a hash of everything that training uses of the data. It does not depend on
 * the file format. */
GRADUS_API gradus_status gradus_dataset_fingerprint(gradus_context *context,
                                                    const gradus_dataset *data,
                                                    uint64_t *fingerprint, gradus_error *err);

typedef enum gradus_label_kind {
    GRADUS_LABELS_GRADES,  /* whole numbers from 0 to 1023 */
    GRADUS_LABELS_NUMBERS, /* non-negative numbers, some not whole */
    GRADUS_LABELS_OTHER    /* some are negative, or too large for grades */
} gradus_label_kind;
/* Sets *kind to the kind of the labels, which determines the metrics that apply. */
GRADUS_API gradus_status gradus_dataset_labels(gradus_context *context, const gradus_dataset *data,
                                               gradus_label_kind *kind, gradus_error *err);
/* Fails, as training does, unless models trained on `train` can be evaluated on `valid`. Notes
 * report differences that do no harm. */
GRADUS_API gradus_status gradus_dataset_check_valid(gradus_context *context,
                                                    const gradus_dataset *train,
                                                    const gradus_dataset *valid, gradus_error *err);
/* Returns the query's id from the file or arrays; "" if it has none, or past the last. Valid as long as data
 * exists. */
GRADUS_API const char *gradus_dataset_query_name(const gradus_dataset *data, size_t query);
/* Returns the document id of a row from the file; "" if it has none, or past the last. Valid as
 * long as data exists. */
GRADUS_API const char *gradus_dataset_document_name(const gradus_dataset *data, size_t row);
/* Returns the name of a feature; "" if it has none, or past the last. Valid as long as data
 * exists. */
GRADUS_API const char *gradus_dataset_feature_name(const gradus_dataset *data, size_t feature);
/* Returns the id of the first feature in the file: 0 or 1. A model imported from another tool may
 * number the same features differently (gradus_model_first_id). */
GRADUS_API size_t gradus_dataset_first_id(const gradus_dataset *data);
/* Fills order (one per row) with the dataset's row numbers in the order of the file, stream or
 * arrays: order[0] is its first row. The two orders differ if the rows of a query were not
 * contiguous there. */
GRADUS_API gradus_status gradus_dataset_file_order(const gradus_dataset *data, size_t *order,
                                                   gradus_error *err);
/* Finds a feature by name, or by its id in the file; *feature is its index from 0. An unknown word
 * is GRADUS_BAD_ARGUMENT, and the message suggests a similar one. */
GRADUS_API gradus_status gradus_dataset_find_feature(const gradus_dataset *data, const char *word,
                                                     size_t *feature, gradus_error *err);

/* Returns a copy of the data with rescaled features, using statistics of the data itself. options:
 * operation "transform", or NULL. */
GRADUS_API gradus_dataset *gradus_dataset_transform(gradus_context *context,
                                                    const gradus_dataset *data,
                                                    const gradus_options *options,
                                                    gradus_error *err);
/* Assigns each query to a part: fills part_of_query (one per query) with numbers from 0 to
 * *parts - 1. options: operation "split", or NULL. With its option letor the parts are S1 to S5 (0
 * to 4), and fold i uses part p for training if (p + 5 - i) % 5 is 0, 1 or 2, for validation if 3,
 * for testing if 4. */
GRADUS_API gradus_status gradus_dataset_split(const gradus_dataset *data,
                                              const gradus_options *options, size_t *part_of_query,
                                              size_t *parts, gradus_error *err);
/* Returns a copy of the chosen queries (count >= 1), in the order given. */
GRADUS_API gradus_dataset *gradus_dataset_subset(gradus_context *context,
                                                 const gradus_dataset *data, const size_t *queries,
                                                 size_t count, gradus_error *err);
/* Returns a copy of the rows of all sets (count >= 1), in order. Queries with the same id are merged,
 * and need the same weight; queries without ids are numbered. Feature names are kept if equal. */
GRADUS_API gradus_dataset *gradus_dataset_join(gradus_context *context,
                                               const gradus_dataset *const *sets, size_t count,
                                               gradus_error *err);
/* Joins folds of the same data so that every row occurs once: the rows of the first fold, and of
 * each further fold the rows that are not among them. Rows are equal if query, document, label,
 * weight and features are; duplicates within one fold are kept. sets: folds x parts; NULL: the fold
 * does not have that part. */
GRADUS_API gradus_dataset *gradus_dataset_join_folds(gradus_context *context,
                                                     const gradus_dataset *const *sets,
                                                     size_t folds, size_t parts, gradus_error *err);

/* Generates a synthetic dataset directly into a file, which may be larger than memory. synth:
 * operation "synth web" or another of the catalogue "synths"; write: operation "write", or NULL. */
GRADUS_API gradus_status gradus_synth_write(gradus_context *context, const gradus_options *synth,
                                            const char *path, const gradus_options *write,
                                            gradus_error *err);
/* Generates the same dataset in memory. */
GRADUS_API gradus_dataset *gradus_synth(gradus_context *context, const gradus_options *synth,
                                        gradus_error *err);

enum { GRADUS_HISTOGRAM_BINS = 12 };
enum { GRADUS_LABELS_LISTED = 1000 }; /* maximum distinct labels in label_values */

typedef struct gradus_description {
    size_t rows, features, queries;
    bool sparse;                         /* rows are stored sparse */
    bool has_queries;                    /* the file has query ids */
    bool has_documents;                  /* the file has document ids */
    size_t first_id;                     /* the file's id of its first feature: 0 or 1 */
    size_t documents_min, documents_max; /* per query */
    double documents_median;
    size_t labels;              /* distinct labels */
    const double *label_values; /* ascending; NULL if there are more than GRADUS_LABELS_LISTED */
    const size_t *label_rows;   /* number of rows with each label; NULL likewise */
    double label_min, label_max, label_mean; /* NAN if there are no rows */
    bool graded;                             /* every label is a non-negative whole number */
    size_t entries;                          /* values that are neither 0 nor missing */
    size_t missing;                          /* values that are NAN */
    double density;                          /* entries / (rows x features) */
    size_t constants;                        /* features with the same value in all rows */
    const size_t *constant_features;         /* ascending */
    size_t duplicates;                       /* non-constant features equal to an earlier feature */
    const size_t *duplicate_features;        /* ascending */
    const size_t *duplicate_of;              /* the earlier feature of each */
    size_t queries_without_relevant;         /* no label above 0 */
    size_t queries_with_one_label;           /* all labels equal */
    /* documents per query: bin b counts queries with histogram_edges[b] to histogram_edges[b+1]-1
     */
    size_t histogram_bins;
    size_t histogram_edges[GRADUS_HISTOGRAM_BINS + 1];
    size_t histogram[GRADUS_HISTOGRAM_BINS];
} gradus_description;

/* Summarises a dataset. The arrays belong to the description. */
GRADUS_API gradus_description *gradus_describe(gradus_context *context, const gradus_dataset *data,
                                               gradus_error *err);
/* Frees a description and its arrays. */
GRADUS_API void gradus_description_free(gradus_description *description);

/* Leakage between two datasets, such as a training and a test set, and features that only one of
 * them uses. Features are matched by index; the dataset with fewer is padded with zeros. Two
 * missing values are equal. */
typedef struct gradus_overlap {
    size_t queries;            /* query ids in both datasets */
    const size_t *query_first; /* their indices in the first, ascending */
    size_t rows;               /* rows of the second with the same features as a row of the first */
    size_t labelled_rows;      /* those with the same label, too */
    size_t only_first;         /* features with a non-zero value in the first dataset only */
    const size_t *only_first_features;
    size_t only_second;
    const size_t *only_second_features;
} gradus_overlap;

/* Finds common queries and rows, and differing features, of two datasets. The arrays belong to the
 * result. */
GRADUS_API gradus_overlap *gradus_overlap_find(gradus_context *context, const gradus_dataset *first,
                                               const gradus_dataset *second, gradus_error *err);
/* Frees an overlap and its arrays. */
GRADUS_API void gradus_overlap_free(gradus_overlap *overlap);

/* ---- Data from other programs: the Arrow C data interface ----
 *
 * Example: rows of two queries, not contiguous, and a table from a producer of Arrow streams.
 *
 *     const float table_values[] = { 0.5f, 2, 0.25f, 3, 0.75f, 1 }, table_labels[] = { 1, 0, 2 };
 *     const uint64_t name_starts[] = { 0, 5, 12 };
 *     const int64_t query_ids[] = { 7, 3, 7 };
 *     const gradus_arrays table = { .rows = 3, .features = 2, .stride = 2,
 *                                   .values = table_values, .labels = table_labels,
 *                                   .feature_names = { "bm25\0length", name_starts },
 *                                   .row_query_ids = query_ids };
 *     gradus_dataset *small = gradus_dataset_copy(context, &table, &err);
 *     size_t order[3];
 *
 *     if (!small || gradus_dataset_file_order(small, order, &err) != GRADUS_OK)
 *         return 1;
 *     printf("row 1 of the table, of query %s, is row %zu of the dataset\n",
 *            gradus_dataset_query_name(small, 1), order[1]); // query 3, row 2
 *     gradus_dataset_free(small);
 *
 *     struct ArrowArrayStream stream = { 0 }; // to be filled in by a producer
 *     if (stream.release)
 *         gradus_dataset_free(gradus_dataset_from_arrow(context, &stream, NULL, &err));
 */

/* The structures of the Arrow C data and C stream interfaces, as specified by the Arrow project:
 * https://arrow.apache.org/docs/format/CDataInterface.html. No Arrow library is needed. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};
#endif

/* Reads all record batches of an Arrow stream into a dataset, which owns its data. The stream is
 * always released, also on failure (unless it is NULL or has been released before). options:
 * operation "read", or NULL. Its options for CSV columns apply: label-column, query-column,
 * weight-column, document-column, ignore-column and their defaults, use-features, ignore-features
 * and label-optional. All other columns are features, and keep their names. Features, labels and
 * weights: integers of 8 to 64 bits, float16, float32, float64, bool, or a dictionary of these.
 * They are rounded to float. A null feature is missing; a null label or weight and values that are
 * infinite as float are errors. Query and document ids: these, or utf8, large_utf8, utf8_view, or a
 * dictionary of them. Whole numbers become decimal text. A null query is an error, a null document
 * has no name. Queries need not be contiguous: see gradus_dataset_copy. Ignored columns may have
 * any type. Structures are checked as far as they can be: they do not contain the sizes of their
 * buffers. */
GRADUS_API gradus_dataset *gradus_dataset_from_arrow(gradus_context *context,
                                                     struct ArrowArrayStream *stream,
                                                     const gradus_options *options,
                                                     gradus_error *err);

/* ---- Scores: one number per row, higher is better ----
 *
 * Example: score by a single feature.
 *
 *     double *baseline = malloc(gradus_dataset_rows(test) * sizeof *baseline);
 *
 *     if (!baseline || gradus_scores(context, test, "feature:132", 1, baseline, &err) != GRADUS_OK)
 *         return 1;
 */

/* Fills one score per row of data. what: a model file, a file of scores (one per line, in the order
 * of the data file, or a TREC run that names every document), or an untrained method of the
 * catalogue "methods": "feature:ID", "random" (which uses seed). A non-finite score is
 * GRADUS_BAD_NUMBER. */
GRADUS_API gradus_status gradus_scores(gradus_context *context, const gradus_dataset *data,
                                       const char *what, uint64_t seed, double *scores,
                                       gradus_error *err);
/* Writes scores, one line per row in the order of the data file, or a TREC run if run_name is not
 * NULL. On failure no partial file remains; "-" is standard output. */
GRADUS_API gradus_status gradus_scores_write(const gradus_dataset *data, const double *scores,
                                             const char *path, const char *run_name,
                                             gradus_error *err);

/* Writes `columns` numbers per row (those of row r start at values[r * columns]), separated by
 * spaces, in the order of the data file, after the line "# heading" (heading NULL: no such line).
 */
GRADUS_API gradus_status gradus_columns_write(const gradus_dataset *data, const double *values,
                                              size_t columns, const char *heading, const char *path,
                                              gradus_error *err);

#ifdef __cplusplus
}
#endif
#endif /* GRADUS_DATASETS_H */
