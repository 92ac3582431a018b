/* SPDX-License-Identifier: Apache-2.0 */
/* Model files that are damaged or malicious: every one is rejected with a reason. */
#include "model_bytes.h"
#include "sample_files.h"

#define SIXTEEN "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
#define SIXTY_FOUR SIXTEEN SIXTEEN SIXTEEN SIXTEEN

static void test_every_cut_is_refused(void **state)
{
    gradus_error err;

    (void)state;
    for (size_t k = 0; k < SAMPLE_KINDS; k++) {
        size_t size;
        char *bytes = sample_kind_bytes(k, &size);

        for (size_t cut = 0; cut < size; cut++)
            if (model_accepted(bytes, cut, &err))
                fail_msg("kind %zu cut to %zu bytes of %zu", k, cut, size);
        bytes = realloc(bytes, size + 1);
        bytes[size] = 0;
        assert_true(model_accepted(bytes, size, &err));
        assert_false(model_accepted(bytes, size + 1, &err));
        free(bytes);
    }
}

static void test_every_flip_is_refused(void **state)
{
    const unsigned char flips[] = { 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff };
    size_t size;
    char *bytes = sample_kind_bytes(2, &size);
    gradus_error err;

    (void)state;
    for (size_t at = 0; at < size; at++)
        for (size_t f = 0; f < sizeof flips; f++) {
            bytes[at] = (char)(bytes[at] ^ flips[f]);
            if (model_accepted(bytes, size, &err))
                fail_msg("byte %zu of %zu, flipped by %02x", at, size, flips[f]);
            bytes[at] = (char)(bytes[at] ^ flips[f]);
        }
    assert_true(model_accepted(bytes, size, &err));
    free(bytes);
}

typedef struct edit {
    const char *from, *to, *message;
} edit;

static void check_edits(size_t kind, const edit *edits, size_t count)
{
    size_t size;
    char *bytes = sample_kind_bytes(kind, &size);

    for (size_t i = 0; i < count; i++) {
        gradus_error err;
        size_t new_size = 0;
        char *edited = seal_edited(bytes, size, edits[i].from, edits[i].to, &new_size);

        if (!edited)
            fail_msg("'%s' is not in the header", edits[i].from);
        if (model_accepted(edited, new_size, &err) != !edits[i].message ||
            (edits[i].message && !strstr(err.message, edits[i].message)))
            fail_msg("'%s' for '%s': '%s', not '%s'", edits[i].to, edits[i].from, err.message,
                     edits[i].message ? edits[i].message : "accepted");
        free(edited);
    }
    free(bytes);
}

static void test_headers_that_do_not_hold_together_are_refused(void **state)
{
    const edit edits[] = {
        /* bytes that may change */
        { "\"method\"", "\"new\":{\"x\":[1]},\"method\"", NULL },
        { "{\"kind\"", "{\"new\":1,\"kind\"", NULL },
        { "\"facts\":{", "\"facts\":{\"new\":1,", NULL },
        { "\"id\":0", "\"new\":1,\"id\":0", NULL },
        { "\"features\":{", "  \"features\" : {\n", NULL },
        { "\"rule\":\"sum\"", "\"rule\":\"expected-gain\"", NULL },
        /* bytes that may not */
        { "{\n", "", "its header: byte" },
        { "\"method\":\"mcrank\"", "\"method\":1", "'method' is missing" },
        { "\"recipe\":{", "\"recipe2\":{", "'recipe' is missing" },
        { "\"rounds\":\"12\"", "\"rounds\":12", "setting 'rounds' is not a text" },
        { "\"count\":3", "\"count\":4", "section 'name_starts' has 32 bytes, expected 5 times 8" },
        { "\"count\":3", "\"count\":18446744073709551615", "'count' is too large" },
        { "\"count\":3", "\"count\":3.0", "'count' is missing" },
        { "\"count\":3", "\"count\":-3", "'count' is missing" },
        { "\"first_id\":1", "\"first_id\":2", "the first feature has number 2" },
        { "\"named\":true", "\"named\":0", "'named' is missing" },
        { "\"transform\":{", "\"transform\":3,\"t\":{", "'transform' is missing" },
        { "\"name\":\"query\"", "\"name\":\"log\"", "name 'log', which this gradus does not know" },
        { "\"name\":\"query\"", "\"name\":\"minmax\"", "section 'shift' is missing" },
        { "\"meaning\":\"above\"", "\"meaning\":\"odd\"", "meaning 'odd', which" },
        { "\"meaning\":\"above\"", "\"meaning\":\"below\"", "scoring rule does not apply" },
        { "\"rule\":\"sum\"", "\"rule\":\"mean\"", "rule 'mean', which" },
        { "\"rule\":\"sum\"", "\"rule\":\"output\"", "scoring rule does not apply" },
        { "\"outputs\":2,\"grades\"", "\"outputs\":3,\"grades\"", "'weights' has 48 bytes" },
        { "[0,1.1,2.2],\"shares\":[0.5,0.3333333333333333,0.25]", "[0,1.1],\"shares\":[0.5,0.5]",
          "'weights' has 48 bytes" },
        { "[0,1.1,2.2]", "[0,1.1]", "3 shares for 2 grades" },
        { "[0.5,0.3333333333333333,0.25]", "[]", "fractions of its grades are missing" },
        { "[0.5,0.3333333333333333,0.25]", "[0.5,0.3,1.25]", "are not between 0 and 1" },
        { "[0.5,0.3333333333333333,0.25]", "[0.5,0.3,-1]", "are not between 0 and 1" },
        { "[0.5,0.3333333333333333,0.25]", "[0.5,0.3,\"\"]",
          "element 2 of 'shares' is not a number" },
        { "\"values\":[]", "\"values\":[1,2,3]", "that its rule does not use" },
        { "\"repair\":\"usual\"", "\"repair\":\"glue\"", "has repair 'glue'" },
        { "[0,1.1,2.2]", "[0,2.2,1.1]", "grades are not in ascending order" },
        { "[0,1.1,2.2]", "[0,1.1,1.1]", "grades are not in ascending order" },
        { "[0,1.1,2.2]", "[0,1.1,1e999]", "element 2 of 'grades' is not a number" },
        { "[0,1.1,2.2]", "null", "'grades' is missing" },
        { "\"nodes\":[", "\"nodes\":{},\"old\":[", "'nodes' is missing" },
        { "\"nodes\":[", "\"nodes\":[],\"old\":[", "it has no nodes" },
        { "\"nodes\":[", "\"nodes\":[7,", "node 0 has no kind" },
        { "\"kind\":\"forest\"", "\"kind\":\"knot\"", "a node of kind 'knot', which this gradus" },
        { "\"inputs\":[]", "\"inputs\":[0]", "node 0: input 0 is not an earlier node" },
        { "\"inputs\":[]", "\"inputs\":[" SIXTY_FOUR SIXTY_FOUR SIXTY_FOUR SIXTY_FOUR "0]",
          "node 0 has invalid inputs" },
        { "\"facts\":{", "\"facts\":[],\"old\":{", "node 0: 'features' is missing or not a count" },
        { "\"facts\":{\"features\":3", "\"facts\":{\"features\":2", "with 2 features" },
        { "\"facts\":{\"features\":3", "\"facts\":{\"features\":4294967296", "too many" },
        { "\"trees\":4", "\"trees\":5", "section 'starts' has 40 bytes, expected 6 times 8" },
        { "\"trees\":4", "\"trees\":18446744073709551615", "too many trees" },
        { "\"splits\":6", "\"splits\":5", "section 'splits' has 144 bytes" },
        { "\"splits\":6", "\"splits\":768614336404564656", "too many trees" },
        { "\"rows\":37", "\"rows\":\"37\"", "'rows' is missing" },
        { "\"fedcba9876543210\"", "\"FEDCBA9876543210\"", "'fingerprint' is missing" },
        { "\"fedcba9876543210\"", "\"edcba9876543210\"", "'fingerprint' is missing" },
        { "\"points\":2", "\"points\":3", "section 'curve' has 48 bytes" },
        { "\"points\":2", "\"points\":768614336404564652", "'curve' has 48 bytes" },
        { "\"finished\":true", "\"finished\":null", "'finished' is missing" },
        { "\"sections\":[", "\"sections\":0,\"old\":[", "its header does not list the sections" },
        { "\"sections\":[", "\"sections\":[],\"old\":[", "its sections end at byte" },
        { "\"id\":1", "\"id\":2", "the description of section 1 is incomplete" },
        { "\"node\":0,\"name\":\"bases\"", "\"node\":1,\"name\":\"bases\"", "'bases' is missing" },
        { "\"node\":null,\"name\":\"names\"", "\"node\":0,\"name\":\"names\"",
          "'names' is missing" },
        { "\"name\":\"curve\"", "\"name\":5", "the description of section 8 is incomplete" },
        { "\"offset\":64", "\"offset\":128", "section 'names' is not at its expected offset" },
        { "\"offset\":64", "\"offset\":0", "section 'names' is not at its expected offset" },
        { "\"offset\":640", "\"offset\":18446744073709551552",
          "section 'curve' is not at its expected" },
        { "\"size\":48,\"crc\":\"2", "\"size\":18446744073709551615,\"crc\":\"2",
          "section 'curve'" },
    };

    (void)state;
    check_edits(2, edits, sizeof edits / sizeof *edits);
}

static void test_scoring_fits_the_grades(void **state)
{
    const edit score[] = {
        { "\"meaning\":\"score\"", "\"meaning\":\"classes\"", "scoring rule does not apply" },
        { "\"score\",\"rule\":\"output\"", "\"classes\",\"rule\":\"expected-grade\"",
          "for 0 grades" },
        { "\"grades\":[],\"shares\":[]", "\"grades\":[1,2],\"shares\":[0,1]", NULL },
        { "\"grades\":[]", "\"grades\":[1,2]", "fractions of its grades are missing" },
        { "\"weighted\":false", "\"weighted\":true", "'weights' is missing" },
        { "\"outputs\":1,\"grades\"", "\"outputs\":2,\"grades\"", "2 outputs for 0 grades" },
    };
    const edit classes[] = {
        { "\"grades\":[0,1.1,2.2],\"shares\":[0.5,0.3333333333333333,0.25]",
          "\"grades\":[0,1],\"shares\":[0,1]", "3 outputs for 2 grades" },
        { "\"classes\"", "\"below\"", "3 outputs for 3 grades" },
        { "\"classes\"", "\"above\"", "3 outputs for 3 grades" },
        { "3,\"grades\":[0,1.1,2.2],\"shares\":[0.5,0.3333333333333333,0.25]",
          "2,\"grades\":[0,1],\"shares\":[0,1]", "has 3 outputs, the scorer expects 2" },
        { "\"values\":[]", "\"values\":[0,1,7]", NULL }, /* a table of gains */
        { "\"values\":[]", "\"values\":[0,1,1e101]", "larger than 1e100" },
        { "\"divisors\":[]", "\"divisors\":[1,1,1]", "that its rule does not use" },
        { "\"factors\":[]", "\"factors\":[0,0,1]", NULL },
        { "\"factors\":[]", "\"factors\":[0,0,0]", "exclude every grade" },
        { "\"factors\":[]", "\"factors\":[0,-1,0]", "negative" },
        { "\"usual\"", "\"none\"", NULL },
    };
    static const edit ratio[] = {
        { "\"divisors\":[1.2,", "\"divisors\":[-1.2,", "are negative" },
        { "\"divisors\":[1.2,0.8999999999999999,0.6,0.3]", "\"divisors\":[]",
          "values or divisors are missing" },
        { "\"divisors\":[1.2,0.8999999999999999,0.6,0.3]", "\"divisors\":[0,0,0,0]", "are all 0" },
        { "\"pav\"", "\"none\"", "'repair none' applies only to expected grades" },
        { "\"cost-ratio\"", "\"weights-and-scales\"", NULL },
        { "\"cost-ratio\"", "\"hard\"", "that its rule does not use" },
    };

    (void)state;
    check_edits(0, score, sizeof score / sizeof *score);
    check_edits(1, classes, sizeof classes / sizeof *classes);
    check_edits(5, ratio, sizeof ratio / sizeof *ratio);
}

static void test_too_many_grades_are_refused(void **state)
{
    gradus_model *model = sample_model(&sample_kinds[0]);
    gr_scorer *scorer = &model->scorer;
    gradus_error err;

    (void)state;
    scorer->levels = 257;
    scorer->level_labels = gr_new_array(257, sizeof(double));
    for (size_t l = 0; l < 257; l++)
        scorer->level_labels[l] = (double)l;
    assert_int_equal(gr_model_write(model, sample_path, &err), GRADUS_BAD_ARGUMENT);
    assert_non_null(strstr(err.message, "257 grades; at most 256"));
    gr_model_free(model);
}

/* Damage behind valid checksums: bytes of a section are changed and the file sealed again. */
static void test_sections_that_make_no_sense_are_refused(void **state)
{
    const double infinite = (double)INFINITY;
    const float no_float = NAN;
    const uint64_t other_nan = 0x7ff8000000000001u, one = 1, large = 1u << 20, most = UINT64_MAX;
    const uint32_t child = 0, feature = 3;
    const int32_t below = ~3;
    const struct {
        const char *section;
        size_t at;
        const void *bytes;
        size_t size;
        const char *message;
    } edits[] = {
        { "bases", 8, &infinite, 8, "base of output 1 is not finite" },
        { "starts", 0, &one, 8, "do not cover" },
        { "starts", 16, &one, 8, "tree 1: its number of splits" },
        { "starts", 8, &large, 8, "tree 1" },
        { "starts", 8, &most, 8, "tree" },
        { "starts", 32, &large, 8, "do not cover" },
        { "splits", 0, &feature, 4, "tree 0, split 0: feature 3 is out of range (3 features)" },
        { "splits", 4, &no_float, 4, "tree 0, split 0" },
        { "splits", 8, &child, 4, "tree 0, split 0" },
        { "splits", 12, &below, 4, "tree 0, split 0" },
        { "splits", 16, &no_float, 4, "tree 0, split 0" },
        { "splits", 20, &large, 4, "tree 0, split 0" },
        { "leaves", 4, &no_float, 4, "tree 0, leaf 1" },
        { "weights", 8, &infinite, 8, "its weights are not finite" },
        { "names", 5, "x", 1, "the name of feature 0 is not terminated" },
        { "name_starts", 0, &one, 8, "does not begin" },
        { "name_starts", 8, &large, 8, "the name of feature 0 is not terminated" },
        { "name_starts", 8, &most, 8, "the name of feature 0 is not terminated" },
        { "name_starts", 24, &large, 8, "section 'names' has 15 bytes" },
        { "curve", 16, &other_nan, 8, "point 0 of its curve" },
    };
    size_t size;
    char *bytes = sample_kind_bytes(2, &size), *copy = malloc(size);

    (void)state;
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        gradus_error err;

        memcpy(copy, bytes, size);
        memcpy(copy + seal_section(copy, edits[i].section) + edits[i].at, edits[i].bytes,
               edits[i].size);
        assert_false(model_accepted(copy, size, &err)); /* detected by the checksum */
        assert_non_null(strstr(err.message, "checksum of section"));
        seal_model(copy, size);
        if (model_accepted(copy, size, &err) || !strstr(err.message, edits[i].message))
            fail_msg("%s: '%s', not '%s'", edits[i].section, err.message, edits[i].message);
    }
    free(bytes);
    free(copy);
}

static void test_transforms_that_make_no_sense_are_refused(void **state)
{
    const edit edits[] = { { "\"keep_zeros\":false", "\"keep_zeros\":true",
                             "keep zeros but shifts" } };
    const double infinite = (double)INFINITY;
    const char *sections[] = { "shift", "unit" };
    size_t size;

    (void)state;
    check_edits(1, edits, 1);
    for (size_t i = 0; i < 2; i++) {
        char *bytes = sample_kind_bytes(1, &size);
        gradus_error err;

        memcpy(bytes + seal_section(bytes, sections[i]) + 8, &infinite, 8);
        seal_model(bytes, size);
        assert_false(model_accepted(bytes, size, &err));
        assert_non_null(strstr(err.message, "its transform is not finite"));
        free(bytes);
    }
}

static void test_filling_bytes_must_be_zero(void **state)
{
    size_t size, at;
    char *bytes = sample_kind_bytes(2, &size);
    const size_t header_end = 32 + (size_t)seal_get(bytes, 16, 8);
    gradus_error err;

    (void)state;
    at = seal_section(bytes, "names") - 1;
    bytes[at] = 1;
    seal_model(bytes, size);
    assert_false(model_accepted(bytes, size, &err));
    assert_non_null(strstr(err.message, "padding byte"));
    bytes[at] = 0;
    assert_true(header_end % 64 != 0);
    bytes[header_end] = 1;
    seal_model(bytes, size);
    assert_false(model_accepted(bytes, size, &err));
    assert_non_null(strstr(err.message, "padding byte"));
    free(bytes);
}

static void test_newer_formats_are_refused(void **state)
{
    size_t size;
    char *bytes = sample_kind_bytes(0, &size);
    gradus_error err;

    (void)state;
    seal_put(bytes, 8, 4, 4);
    assert_false(model_accepted(bytes, size, &err));
    assert_string_equal(err.message, "'x.model' has format version 4; this gradus reads up to 3");
    seal_put(bytes, 8, 0, 4);
    assert_false(model_accepted(bytes, size, &err));
    assert_string_equal(err.message, "'x.model' is damaged: its format version is 0");
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_cut_is_refused),
        cmocka_unit_test(test_every_flip_is_refused),
        cmocka_unit_test(test_headers_that_do_not_hold_together_are_refused),
        cmocka_unit_test(test_scoring_fits_the_grades),
        cmocka_unit_test(test_too_many_grades_are_refused),
        cmocka_unit_test(test_sections_that_make_no_sense_are_refused),
        cmocka_unit_test(test_transforms_that_make_no_sense_are_refused),
        cmocka_unit_test(test_filling_bytes_must_be_zero),
        cmocka_unit_test(test_newer_formats_are_refused),
    };

    return cmocka_run_group_tests(tests, set_up_samples, tear_down_samples);
}
