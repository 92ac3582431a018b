# SPDX-License-Identifier: Apache-2.0
# Compares least squares with R's lm, and its elimination of attributes with WEKA's.
#
# Argument 1: the build folder. lm gets the values rounded to floats, as gradus keeps them, and the
# tolerance that gradus has for linear combinations (1e-5, compared with the root of the share).
# Fitted values are compared, because the two may leave out different ones of dependent features.
gradus <- file.path(normalizePath(commandArgs(TRUE)[1]), "gradus")
jar <- "/usr/share/java/weka.jar"
folder <- tempfile("linear")
dir.create(folder)
setwd(folder)
set.seed(11)
failed <- FALSE

as_float <- function(x) readBin(writeBin(as.double(x), raw(), size = 4), "numeric", length(x), 4)

run <- function(...) {
  status <- system2(gradus, c(..., "--quiet"), stdout = "out")
  if (status != 0) stop("gradus ended with status ", status)
}

write_set <- function(x, y, name) {
  text <- apply(x, 2, function(v) ifelse(is.na(v), "", format(v, digits = 17, trim = TRUE)))
  write.table(cbind(y, text), name, sep = ",", quote = FALSE, row.names = FALSE,
              col.names = c("label", paste0("x", seq_len(ncol(x)))))
}

scores_of <- function(name, ...) {
  run("train", "--learner", "linear", "--train", name, "-o", "it.model", ...)
  run("score", "it.model", name, "-o", "it.scores")
  scan("it.scores", quiet = TRUE)
}

report <- function(what, ours, theirs, rows, aliased) {
  off <- max(abs(ours - theirs)) / max(abs(theirs))
  cat(sprintf("R %s lm: %s, %d rows, %d dependent: largest relative difference %.2g\n",
              getRversion(), what, rows, aliased, off))
  if (!(off < 1e-6)) failed <<- TRUE
}

# lm takes what is left of a feature as a share of its distance from 0, gradus of its deviation.
centred <- function(x) scale(x, scale = FALSE)
fit <- function(x, y, w = rep(1, length(y))) lm(y ~ centred(x), weights = w, tol = 1e-5)

# Features of very different sizes, far from 0, and some that others make up.
make <- function(rows, features) {
  x <- sapply(seq_len(features), function(f) rnorm(rows, 100 * f, 10^(f %% 7 - 3)))
  x[, 4] <- x[, 2]
  x[, 5] <- 0.25
  x <- apply(x, 2, as_float)
  x[, 7] <- as_float(x[, 6] + 2 * x[, 13])
  y <- x %*% (rnorm(features) / apply(x, 2, function(v) max(sd(v), 1))) + rnorm(rows)
  list(x = x, y = as_float(y), grade = pmin(4, pmax(0, round(y - mean(y) + 1))))
}

compare_regression <- function(rows, features) {
  set <- make(rows, features)
  write_set(set$x, set$y, "set.csv")
  theirs <- fit(set$x, set$y)
  report("regression", scores_of("set.csv", "--method", "regression"), fitted(theirs), rows,
         sum(is.na(coef(theirs))))
}

compare_weighted <- function(rows, features) {
  set <- make(rows, features)
  w <- as_float(rexp(rows))
  writeLines(format(w, digits = 17), "weights")
  set$x[sample(length(set$x), 50)] <- NA
  write_set(set$x, set$y, "set.csv")
  ours <- scores_of("set.csv", "--method", "regression", "--row-weights", "weights")
  for (f in seq_len(features)) {
    gone <- is.na(set$x[, f])
    set$x[gone, f] <- weighted.mean(set$x[!gone, f], w[!gone])
  }
  theirs <- fit(set$x, set$y, w)
  report("weights and missing values", ours, fitted(theirs), rows, sum(is.na(coef(theirs))))
}

# Each output is a fit of its own: the target, weighted by the difference of costs.
compare_cocr <- function(rows, features, cost, of) {
  set <- make(rows, features)
  write_set(set$x, set$grade, "set.csv")
  ours <- scores_of("set.csv", "--method", "cocr", "--cost", cost)
  theirs <- 0
  for (k in 1:4) {
    w <- abs(of(set$grade, k) - of(set$grade, k - 1))
    m <- fit(set$x, as.double(set$grade >= k), w)
    b <- coef(m)
    b[is.na(b)] <- 0
    theirs <- theirs + as.vector(cbind(1, centred(set$x)) %*% b)
  }
  report(paste("cocr,", cost), ours, theirs, rows, sum(is.na(coef(m))))
}

weka_equation <- function(selection, options) {
  words <- c("-Djava.awt.headless=true", "-cp", jar, "weka.classifiers.functions.LinearRegression",
             "-S", selection, options, "-t", "set.arff", "-c", "1", "-no-cv")
  text <- system2("java", words, stdout = TRUE, stderr = FALSE)
  lines <- regmatches(text, regexec("^ *(-?[0-9.]+) +\\* (x[0-9]+)", text))
  lines <- Filter(length, lines)
  setNames(as.double(sapply(lines, `[`, 2)), sapply(lines, `[`, 3))
}

our_equation <- function(...) {
  run("train", "--learner", "linear", "--method", "regression", "--train", "set.csv", "-o",
      "it.model", ...)
  text <- system2(gradus, c("show", "it.model", "--importance", "all"), stdout = TRUE)
  lines <- Filter(length, regmatches(text, regexec("^(x[0-9]+) +[^ ]+ +([^ ]+)$", text)))
  setNames(as.double(sapply(lines, `[`, 3)), sapply(lines, `[`, 2))
}

compare_weka <- function(rows, features) {
  x <- apply(matrix(rnorm(rows * features), rows), 2, as_float)
  b <- ifelse(seq_len(features) %% 3 == 0, 0.05, seq_len(features) %% 3) # some are barely worth it
  x[, 2] <- as_float(x[, 1] + 0.1 * x[, 2])
  y <- as_float(x %*% b + rnorm(rows))
  write_set(x, y, "set.csv")
  writeLines(c("@relation set", "@attribute label numeric",
               sprintf("@attribute x%d numeric", seq_len(features)), "@data",
               readLines("set.csv")[-1]), "set.arff")
  for (how in c("none", "m5", "greedy")) for (limit in c("0", "1.5")) {
    theirs <- weka_equation(c(none = "1", m5 = "0", greedy = "2")[how], if (limit == "0") "-C")
    ours <- our_equation("--elimination", how, "--max-coefficient", limit)
    same <- setequal(names(ours), names(theirs))
    off <- if (same) max(abs(ours[names(theirs)] - theirs)) else Inf
    cat(sprintf("WEKA LinearRegression: elimination %s, limit %s: %d of %d attributes, %s, %.1g\n",
                how, limit, length(theirs), features, if (same) "the same" else "others", off))
    if (!(off < 6e-5)) failed <<- TRUE # it prints four decimals
  }
}

for (rows in c(60, 3000)) {
  compare_regression(rows, 20)
  compare_weighted(rows, 20)
}
compare_cocr(3000, 20, "absolute", function(y, k) abs(y - k))
compare_cocr(3000, 20, "squared", function(y, k) (y - k)^2)
compare_cocr(3000, 20, "oerr", function(y, k) (2^y - 2^k)^2)
if (file.exists(jar) && Sys.which("java") != "") {
  compare_weka(200, 12)
  compare_weka(1000, 30)
} else {
  cat("skipped: WEKA: java or weka.jar is not installed\n")
}
setwd("/")
unlink(folder, recursive = TRUE)
if (failed) cat("FAILED: least squares differs\n")
quit(status = as.integer(failed))
