/* SPDX-License-Identifier: Apache-2.0 */
/* The ratings of MovieLens 100K with the predictors of Uematsu and Lee (2015), section 6.2.
 *
 * The paper: ratings with incomplete data and those of six unusual users are left out, 97,139
 * remain (5,039, 10,846, 26,448, 33,842, 20,964 with ratings 1 to 5); 44 standardised predictors
 * are derived from release date and genres of the movie and age, sex and occupation of the user.
 *
 * Reconstructed: exactly these counts remain without the movie that has no release date (9 ratings)
 * and users 13, 181, 405, 445, 655 and 774: 181, 405, 445 and 774 give far lower ratings than
 * others, and 405, 655 and 13 the most ratings. No other interpretation that was tried gives all
 * five counts. Guessed: the 44 predictors. After these removals no movie of genre "unknown" is
 * rated, so 18 genres remain; with 21 occupations, age and sex that makes 41, and day, month and
 * year of release 44. Predictors are standardised once, over all ratings kept. */
#ifndef GR_EXPERIMENTS_PAPERS_MOVIELENS_H
#define GR_EXPERIMENTS_PAPERS_MOVIELENS_H

#include "gradus.h"

enum { GR_RATINGS = 5 };

/* Reads u.data, u.item, u.user, u.genre and u.occupation from a folder, each plain or with the
 * suffix .gz. Rows are ratings in the order of u.data, labels 1 to 5, one query; features: day,
 * month, year, each genre of u.genre except the first ("unknown"), age, sex (male: 1), and each
 * occupation. */
gradus_dataset *gr_movielens_read(gradus_context *context, const char *folder, gradus_error *err);

/* Samples rows without replacement, the given number per rating for each part in turn: counts is
 * parts x GR_RATINGS. grades: the label assigned to each rating. made: one dataset per part, each
 * one query; all NULL on failure. The sample is a function of the seed and the replicate. */
gradus_status gr_movielens_draw(const gradus_dataset *ratings, const size_t *counts, size_t parts,
                                const float *grades, uint64_t seed, uint64_t replicate,
                                gradus_dataset **made, gradus_error *err);

#endif
