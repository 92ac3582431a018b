#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the p-values, statistics and intervals of libgradus with those of R, scipy and
statsmodels, on data made here. One line a comparison, with the largest relative difference found;
fails above 1e-9.

usage: statistics.py BUILD_FOLDER"""
import ctypes
import math
import os
import random
import shutil
import subprocess
import sys

MOST = 1e-9


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("message", ctypes.c_char * 508)]


class Contrast(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in ("a", "b", "queries")] + \
               [(name, ctypes.c_double) for name in
                ("mean_a", "mean_b", "difference", "low", "high", "statistic", "freedom", "p",
                 "p_adjusted")] + \
               [(name, ctypes.c_size_t) for name in ("wins", "ties", "losses")]


def load(path):
    library = ctypes.CDLL(path)
    pointer = ctypes.c_void_p
    doubles = ctypes.POINTER(ctypes.c_double)
    library.gradus_options_new.restype = pointer
    library.gradus_options_set.argtypes = [pointer, ctypes.c_char_p, ctypes.c_char_p, pointer]
    library.gradus_options_free.argtypes = [pointer]
    library.gradus_compare.restype = pointer
    library.gradus_compare.argtypes = [pointer, ctypes.c_size_t, ctypes.c_size_t, pointer, pointer,
                                       pointer]
    library.gradus_comparison_at.restype = ctypes.c_bool
    library.gradus_comparison_at.argtypes = [pointer, ctypes.c_size_t, pointer]
    library.gradus_comparison_free.argtypes = [pointer]
    library.gradus_combine_p.argtypes = [doubles, ctypes.c_size_t, doubles, doubles, pointer]
    library.gradus_adjust_p.argtypes = [doubles, ctypes.c_size_t, doubles, pointer]
    return library


def compare(library, a, b, **settings):
    error = Error()
    options = library.gradus_options_new(b"compare", ctypes.byref(error))
    for name, value in settings.items():
        if library.gradus_options_set(options, name.encode(), str(value).encode(),
                                      ctypes.byref(error)):
            sys.exit("statistics.py: " + error.message.decode())
    arrays = [(ctypes.c_double * len(a))(*a), (ctypes.c_double * len(b))(*b)]
    values = (ctypes.POINTER(ctypes.c_double) * 2)(*[ctypes.cast(x, ctypes.POINTER(ctypes.c_double))
                                                     for x in arrays])
    comparison = library.gradus_compare(None, 2, len(a), values, options, ctypes.byref(error))
    library.gradus_options_free(options)
    if not comparison:
        sys.exit("statistics.py: " + error.message.decode())
    contrast = Contrast()
    library.gradus_comparison_at(comparison, 0, ctypes.byref(contrast))
    library.gradus_comparison_free(comparison)
    return contrast


def samples():
    """Name, a, b: small and large, smooth, tied, with zeros, nearly equal and far apart."""
    rng = random.Random(20)
    for n in (2, 5, 12, 49, 50, 51, 300, 3000):
        a = [rng.random() for _ in range(n)]
        yield f"smooth n={n}", a, [min(1.0, x + rng.gauss(0.02, 0.2)) for x in a]
    for n in (8, 40, 49, 50, 500):
        a = [rng.randrange(9) / 8 for _ in range(n)]
        yield f"tied n={n}", a, [min(8, int(8 * x) + rng.randrange(3)) / 8 for x in a]
        yield f"tied, no zeros n={n}", a, [x + rng.choice((-2, -1, 1, 2, 3)) / 8 for x in a]
    for n in (20, 200, 2000):
        a = [rng.random() for _ in range(n)]
        yield f"far n={n}", a, [x + 0.3 + 0.25 * rng.gauss(0, 1) for x in a]


def r_numbers(script):
    out = subprocess.run(["Rscript", "--vanilla", "-"], input=script, text=True,
                         capture_output=True, check=False)
    if out.returncode:
        sys.exit("statistics.py: R failed: " + out.stderr)
    return [float("nan") if word == "NA" else float(word) for word in out.stdout.split()]


def r_vector(values):
    return "c(" + ",".join("NA" if math.isnan(v) else repr(v) for v in values) + ")"


R_TESTS = """
show <- function(...) cat(sprintf("%.17g", c(...)), "\\n")
one <- function(b, a) suppressWarnings({
  for (side in c("two.sided", "greater")) {
    h <- t.test(b, a, paired=TRUE, alternative=side); show(h$statistic, h$parameter, h$p.value)
    h <- t.test(b, a, alternative=side); show(h$statistic, h$parameter, h$p.value)
    h <- wilcox.test(b, a, paired=TRUE, alternative=side); show(h$statistic, h$p.value)
  }
  show(t.test(b, a, paired=TRUE)$conf.int, t.test(b, a, conf.level=.99)$conf.int)
})
"""


def against_r(library, report):
    cases = list(samples())
    script = R_TESTS + "".join(f"one({r_vector(b)}, {r_vector(a)})\n" for _, a, b in cases)
    found = iter(r_numbers(script))
    for name, a, b in cases:
        for sided in (2, 1):
            for test in ("t", "welch", "wilcoxon"):
                mine = compare(library, a, b, test=test, sided=sided)
                pairs = [(mine.statistic, next(found))]
                if test != "wilcoxon":
                    pairs.append((mine.freedom, next(found)))
                pairs.append((mine.p, next(found)))
                report(f"R {test} sided {sided}, {name}", pairs)
        paired = compare(library, a, b, test="t")
        welch = compare(library, a, b, test="welch", confidence=0.99)
        report(f"R intervals, {name}", [(x, next(found)) for x in
                                        (paired.low, paired.high, welch.low, welch.high)])
    holm(library, report)


def holm(library, report):
    rng = random.Random(4)
    for n in (1, 3, 20):
        p = [rng.random() ** 4 for _ in range(n)] + [math.nan] * (n == 20)
        out = (ctypes.c_double * len(p))()
        library.gradus_adjust_p((ctypes.c_double * len(p))(*p), len(p), out, None)
        wanted = r_numbers(f'cat(sprintf("%.17g", p.adjust({r_vector(p)}, "holm")))')
        report(f"R p.adjust holm n={len(p)}", list(zip(out, wanted)))


def against_scipy(library, report):
    import warnings
    from scipy import stats
    warnings.simplefilter("ignore") # that a sample is small for the normal approximation
    for name, a, b in samples():
        for sided, side in ((2, "two-sided"), (1, "greater")):
            mine = compare(library, a, b, test="t", sided=sided)
            theirs = stats.ttest_rel(b, a, alternative=side)
            report(f"scipy ttest_rel sided {sided}, {name}",
                   [(mine.statistic, theirs.statistic), (mine.p, theirs.pvalue)])
            zeros = any(x == y for x, y in zip(a, b))
            if len(a) >= 50 or zeros: # there both use the corrected normal
                mine = compare(library, a, b, test="wilcoxon", sided=sided)
                theirs = stats.wilcoxon(b, a, correction=True, mode="approx", alternative=side)
                report(f"scipy wilcoxon sided {sided}, {name}", [(mine.p, theirs.pvalue)])
    rng = random.Random(9)
    for n in (1, 4, 30):
        p = [rng.random() ** 8 for _ in range(n)]
        statistic, combined = ctypes.c_double(), ctypes.c_double()
        library.gradus_combine_p((ctypes.c_double * n)(*p), n, ctypes.byref(statistic),
                                 ctypes.byref(combined), None)
        theirs = stats.combine_pvalues(p, method="fisher")
        report(f"scipy combine_pvalues fisher n={n}", [(statistic.value, theirs[0]),
                                                       (combined.value, theirs[1])])


def against_statsmodels(library, report):
    from statsmodels.stats.multitest import multipletests
    from statsmodels.stats.weightstats import DescrStatsW
    for name, a, b in samples():
        mine = compare(library, a, b, test="t")
        # Not tconfint_mean: the t.ppf of scipy 1.10 that it calls is off by 4e-9 (R's qt is not).
        theirs = DescrStatsW([y - x for x, y in zip(a, b)]).ttest_mean()
        report(f"statsmodels ttest_mean, {name}",
               list(zip((mine.statistic, mine.p, mine.freedom), theirs)))
    rng = random.Random(5)
    for n in (1, 3, 20):
        p = [rng.random() ** 4 for _ in range(n)]
        out = (ctypes.c_double * n)()
        library.gradus_adjust_p((ctypes.c_double * n)(*p), n, out, None)
        report(f"statsmodels multipletests holm n={n}",
               list(zip(out, multipletests(p, method="holm")[1])))


def distance(mine, theirs):
    if mine == theirs or (math.isnan(mine) and math.isnan(theirs)):
        return 0.0
    return abs(mine - theirs) / max(abs(theirs), 1e-300)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    library = load(os.path.join(sys.argv[1], "libgradus.so"))
    failed, compared = [], []

    def report(what, pairs):
        compared.append(what)
        worst = max(distance(mine, theirs) for mine, theirs in pairs)
        good = worst <= MOST
        print(f"{'ok' if good else 'DIFFERS':8}{worst:9.1e}  {what}")
        if not good:
            print("".join(f"          {mine!r} {theirs!r}\n" for mine, theirs in pairs), end="")
            failed.append(what)

    if shutil.which("Rscript"):
        against_r(library, report)
    else:
        print("skipped: R: Rscript is not installed")
    for tool, against in (("scipy", against_scipy), ("statsmodels", against_statsmodels)):
        try:
            against(library, report)
        except ImportError:
            print(f"skipped: {tool}: not installed")
    if failed:
        sys.exit(f"{len(failed)} comparisons differ by more than {MOST}")
    sys.exit(0 if compared else 77)


if __name__ == "__main__":
    main()
