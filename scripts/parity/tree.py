#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares trees of libgradus with those of scikit-learn and with direct computations by numpy.

With every distinct value a bin of its own, thresholds are exact, and one regression tree must be
DecisionTreeRegressor(max_leaf_nodes=J): the same splits, leaves and predictions. So must the first
trees of softmax, logistic and lambdarank boosting be, given the residuals (or gradients over
hessians, weighted) computed here; their leaf values follow the formulas of the methods. Boosted
regression must be GradientBoostingRegressor; with Huber's and the pinball loss both must predict
held-out rows equally well.

usage: tree.py BUILD_FOLDER"""
import ctypes
import os
import sys

try:
    import numpy as np
    import sklearn
    from sklearn.ensemble import GradientBoostingRegressor
    from sklearn.tree import DecisionTreeRegressor
except ImportError as missing:
    print(f"skipped: scikit-learn: {missing}")
    sys.exit(77)

TOOL = f"scikit-learn {sklearn.__version__}"
pointer, size = ctypes.c_void_p, ctypes.c_size_t


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("message", ctypes.c_char * 508)]


class Arrays(ctypes.Structure):
    _fields_ = [("rows", size), ("features", size), ("values", pointer), ("stride", size),
                ("row_starts", pointer), ("columns", pointer), ("entries", pointer),
                ("labels", pointer), ("queries", size), ("query_starts", pointer),
                ("row_weights", pointer), ("query_weights", pointer),
                ("names", pointer * 9)]  # of features, queries and documents; queries of rows


class Input(ctypes.Structure):
    _fields_ = [("train", pointer), ("valid", pointer), ("start", pointer),
                ("resume", ctypes.c_bool), ("initial", pointer), ("initial_valid", pointer),
                ("objective", pointer), ("metric", pointer), ("user", pointer)]


class Node(ctypes.Structure):
    _fields_ = [("is_leaf", ctypes.c_bool), ("feature", size), ("threshold", ctypes.c_float),
                ("left", size), ("right", size), ("missing_left", ctypes.c_bool),
                ("gain", ctypes.c_double), ("value", ctypes.c_double), ("rows", size)]


def load(folder):
    library = ctypes.CDLL(os.path.abspath(os.path.join(folder, "libgradus.so")))
    for name, words in (("gradus_options_new", [ctypes.c_char_p, pointer]),
                        ("gradus_dataset_borrow", [pointer, pointer]),
                        ("gradus_training_new", [pointer] * 4),
                        ("gradus_training_finish", [pointer] * 2)):
        getattr(library, name).restype = pointer
        getattr(library, name).argtypes = words
    library.gradus_options_set.argtypes = [pointer, ctypes.c_char_p, ctypes.c_char_p, pointer]
    library.gradus_training_step.argtypes = [pointer] * 3
    library.gradus_model_tree_at.restype = ctypes.c_bool
    library.gradus_model_tree_at.argtypes = [pointer, size, size, pointer]
    library.gradus_model_score_rows.argtypes = [pointer, pointer, size, size, size, pointer,
                                                pointer, pointer]
    for name in ("options", "dataset", "training", "model"):
        getattr(library, f"gradus_{name}_free").argtypes = [pointer]
    return library


class Tree:
    """A tree of a model: nodes, and the leaf of each training row."""

    def __init__(self, nodes, x):
        self.nodes = nodes
        self.leaf = np.zeros(len(x), int)
        inner = np.array([not node.is_leaf for node in nodes])
        while inner[self.leaf].any():
            rows = np.flatnonzero(inner[self.leaf])
            at = [nodes[i] for i in self.leaf[rows]]
            left = x[rows, [node.feature for node in at]] < np.array(
                [node.threshold for node in at], np.float32)
            self.leaf[rows] = np.where(left, [node.left for node in at],
                                       [node.right for node in at])

    def leaves(self):
        return sum(node.is_leaf for node in self.nodes)


def copy_nodes(library, model, tree):
    nodes = []
    while True:
        node = Node()
        if not library.gradus_model_tree_at(model, tree, len(nodes), ctypes.byref(node)):
            return nodes
        nodes.append(node)


def train(library, x, y, sizes=None, weights=None, initial=None, trees=1, scored=None, **options):
    """The first trees of a model of exact thresholds, and its scores of the training rows, or of
    the rows `scored`."""
    err = Error()
    x, y = np.ascontiguousarray(x, np.float32), np.ascontiguousarray(y, np.float32)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint64) if sizes is not None else None
    if weights is not None:
        weights = np.ascontiguousarray(weights, np.float32)
    arrays = Arrays(rows=len(y), features=x.shape[1], values=x.ctypes.data, stride=x.shape[1],
                    labels=y.ctypes.data, queries=0 if sizes is None else len(sizes),
                    query_starts=None if sizes is None else starts.ctypes.data,
                    row_weights=None if weights is None else weights.ctypes.data)
    exact = {"bins": 65535, "bin_sample": 0, "min_rows": 0, "min_weight": 0, "l2": 0,
             "learning_rate": 1, "rounds": 1, "train_eval_every": 0}
    chosen = library.gradus_options_new(b"train", ctypes.byref(err))
    for name, value in {**exact, **options}.items():
        if library.gradus_options_set(chosen, name.replace("_", "-").encode(),
                                      str(value).encode(), ctypes.byref(err)):
            sys.exit(err.message.decode())
    data = library.gradus_dataset_borrow(ctypes.byref(arrays), ctypes.byref(err))
    given = Input(train=data, initial=None if initial is None else initial.ctypes.data)
    training = data and library.gradus_training_new(None, ctypes.byref(given), chosen,
                                                    ctypes.byref(err))
    done = ctypes.c_bool(False)
    while training and not done.value:
        if library.gradus_training_step(training, ctypes.byref(done), ctypes.byref(err)):
            sys.exit(err.message.decode())
    model = training and library.gradus_training_finish(training, ctypes.byref(err))
    rows = x if scored is None else np.ascontiguousarray(scored, np.float32)
    scores = np.zeros(len(rows))
    if not model or library.gradus_model_score_rows(model, rows.ctypes.data, len(rows),
                                                    x.shape[1], x.shape[1], scores.ctypes.data,
                                                    None, ctypes.byref(err)):
        sys.exit(err.message.decode())
    grown = [Tree(copy_nodes(library, model, tree), x) for tree in range(trees)]
    for name, what in (("training", training), ("model", model), ("options", chosen),
                       ("dataset", data)):
        getattr(library, f"gradus_{name}_free")(what)
    return grown, scores


class Report:
    def __init__(self):
        self.compared = self.failed = 0

    def line(self, what, found, wanted, most):
        found, wanted = np.atleast_1d(found), np.atleast_1d(wanted)
        worst = (float(np.max(np.abs(found - wanted) / np.maximum(1, np.abs(wanted))))
                 if found.shape == wanted.shape else float("inf"))
        good = worst <= most
        self.compared += 1
        self.failed += not good
        print(f"{'ok  ' if good else 'FAIL'} {what}: {found.size} values, largest difference "
              f"{worst:.2g}")


class TheirTree:
    """A tree of scikit-learn, in the form of ours."""

    def __init__(self, model, x):
        tree = model.tree_
        self.nodes = [Node(is_leaf=tree.children_left[i] < 0, feature=max(tree.feature[i], 0),
                           threshold=tree.threshold[i], left=max(tree.children_left[i], 0),
                           right=max(tree.children_right[i], 0)) for i in range(tree.node_count)]
        self.leaf = model.apply(x)
        self.predicted = model.predict(x)


def splits_of(tree):
    """The rows of each node that is split, and what it is split by."""
    def rows_below(i):
        node = tree.nodes[i]
        if node.is_leaf:
            return np.flatnonzero(tree.leaf == i)
        rows = np.sort(np.concatenate([rows_below(node.left), rows_below(node.right)]))
        found[rows.tobytes()] = node.feature
        return rows

    found = {}
    rows_below(0)
    return found


def compare_splits(report, what, ours, theirs):
    """Thresholds are compared by the rows they part: scikit-learn's are halfway between the values
    in the node, ours between those in the data. Features that part a node alike are both right, so
    that the feature must be the same only where it is the only one."""
    found, wanted = splits_of(ours), splits_of(theirs)
    tied = sum(found[rows] != wanted[rows] for rows in found if rows in wanted)
    report.line(f"splits, {what}" + f" ({tied} by another feature that parts alike)" * (tied > 0),
                first_rows(ours), first_rows(theirs), 0)


def first_rows(tree):
    """Of each row, the first row of its leaf."""
    _, first, leaf = np.unique(tree.leaf, return_index=True, return_inverse=True)
    return first[leaf]


def their_tree(x, y, leaves, weights=None):
    model = DecisionTreeRegressor(max_leaf_nodes=leaves, random_state=1)
    return TheirTree(model.fit(x, y, sample_weight=weights), x)


def leaf_values(tree, top, bottom=None):
    """Of each row, the sum of top over that of bottom in its leaf; what the tree says."""
    bottom = np.ones(len(top)) if bottom is None else bottom
    sums = np.bincount(tree.leaf, top, len(tree.nodes)), np.bincount(tree.leaf, bottom,
                                                                     len(tree.nodes))
    said = np.array([tree.nodes[i].value for i in tree.leaf])
    return said, (sums[0][tree.leaf] / sums[1][tree.leaf])


def make_rows(seed, rows, features):
    """Features with repeated values, a few constant or with two values, and a smooth target."""
    random = np.random.RandomState(seed)
    x = np.round(random.normal(size=(rows, features)), 2)
    x[:, 1] = random.randint(0, 2, rows)
    x[:, 2] = 3.25
    target = x[:, 0] * x[:, 3] + np.sin(3 * x[:, 4]) + 0.5 * x[:, 1] + random.normal(0, 0.5, rows)
    return x.astype(np.float32), target, random


def compare_trees(library, report):
    for seed, (rows, leaves) in enumerate(((20, 4), (200, 7), (1000, 31), (3000, 64), (300, 1000))):
        x, target, random = make_rows(seed, rows, 8)
        target = target.astype(np.float32).astype(float)
        for weights in (None, random.randint(1, 6, rows)):
            grown, scores = train(library, x, target, method="regression", leaves=leaves,
                                  weights=weights)
            theirs = their_tree(x, target, leaves, weights)
            what = (f"{grown[0].leaves()} leaves on {rows} rows{', weighted' * (weights is not None)} "
                    f"= DecisionTreeRegressor of {TOOL}")
            compare_splits(report, what, grown[0], theirs)
            report.line(f"threshold of the root, {what}", grown[0].nodes[0].threshold,
                        theirs.nodes[0].threshold, 1e-6)
            said, means = leaf_values(grown[0], target if weights is None else target * weights,
                                      weights)
            report.line(f"leaves, {what}", said + np.average(target, weights=weights), means, 1e-6)
            report.line(f"predictions, {what}", scores, theirs.predicted, 1e-6)


def compare_boosting(library, report):
    for seed, (rows, leaves, rounds) in enumerate(((300, 4, 50), (2000, 8, 30), (2000, 16, 10))):
        x, target, _ = make_rows(20 + seed, rows, 8)
        target = target.astype(np.float32).astype(float)
        _, scores = train(library, x, target, method="regression", leaves=leaves, rounds=rounds,
                          learning_rate=0.1)
        theirs = GradientBoostingRegressor(learning_rate=0.1, n_estimators=rounds, max_depth=None,
                                           max_leaf_nodes=leaves, criterion="squared_error",
                                           random_state=1).fit(x, target)
        report.line(f"{rounds} rounds of {leaves} leaves on {rows} rows = "
                    f"GradientBoostingRegressor of {TOOL}", scores, theirs.predict(x), 1e-4)


def pinball(off, q):
    return float(np.mean(np.where(off > 0, (1 - q) * off, -q * off)))


def huber(off, delta):
    near = np.clip(off, -delta, delta)
    return float(np.mean(near * (off - near / 2)))


def make_outliers(seed, rows):
    x, target, random = make_rows(seed, rows, 8)
    far = (random.rand(rows) < 0.05) * random.normal(0, 10, rows)
    return x, (target + far).astype(np.float32).astype(float)


def held_out(library, seed, loss, at):
    """The loss of held-out rows: of gradus and of scikit-learn. Splits of gradients with two values
    have ties, so that the trees differ."""
    x, target = make_outliers(seed, 3000)
    half = len(x) // 2
    theirs = GradientBoostingRegressor(loss=loss, alpha=at, n_estimators=50, max_depth=None,
                                       max_leaf_nodes=8, min_samples_leaf=20,
                                       criterion="squared_error", random_state=1)
    theirs.fit(x[:half], target[:half])
    # their delta is a quantile of the absolute residuals; ours is that of their last round
    delta = np.quantile(np.abs(target[:half] - theirs.predict(x[:half])), at)
    own = {"quantile": at} if loss == "quantile" else {"delta": delta}
    _, found = train(library, x[:half], target[:half], method="regression", loss=loss, leaves=8,
                     min_rows=20, rounds=50, learning_rate=0.1, scored=x[half:], **own)
    return [pinball(scores - target[half:], at) if loss == "quantile"
            else huber(scores - target[half:], delta) for scores in (found, theirs.predict(x[half:]))]


def compare_losses(library, report):
    """Huber: the first tree of clipped residuals and its leaves. Both: the loss of held-out rows."""
    x, target = make_outliers(25, 3000)
    for delta in (0.3, 1.5):
        grown, _ = train(library, x, target, method="regression", loss="huber", delta=delta, leaves=8)
        residuals = target - np.median(target)
        compare_splits(report, f"huber {delta} = DecisionTreeRegressor of clipped residuals", grown[0],
                       their_tree(x, np.clip(residuals, -delta, delta), 8))
        wanted = np.zeros(len(x))
        for leaf in np.unique(grown[0].leaf):
            own = residuals[grown[0].leaf == leaf]
            wanted[grown[0].leaf == leaf] = np.median(own) + np.mean(
                np.clip(own - np.median(own), -delta, delta))
        report.line(f"huber {delta}, leaves = median + mean of clipped deviations",
                    [grown[0].nodes[i].value for i in grown[0].leaf], wanted, 1e-6)
    for loss, at in (("quantile", 0.1), ("quantile", 0.5), ("quantile", 0.9), ("huber", 0.9)):
        losses = np.array([held_out(library, seed, loss, at) for seed in (25, 26, 27)]).sum(axis=0)
        report.line(f"{loss} {at}: held-out loss {losses[0]:.4f} and {losses[1]:.4f} of {TOOL}",
                    losses[0] / losses[1], 1, 0.02)


def make_grades(target, grades):
    """Cuts a target into grades of uneven sizes."""
    shares = np.cumsum([0.5, 0.3, 0.15, 0.04, 0.01][:grades])
    return np.searchsorted(np.quantile(target, shares[:grades - 1]), target)


def compare_classes(library, report):
    """Trees of residuals, and the leaf rules of McRank."""
    x, target, random = make_rows(30, 3000, 8)
    grades, K = make_grades(target, 5), 5
    for weights in (None, random.randint(1, 4, len(x))):
        w = np.ones(len(x)) if weights is None else weights
        name = ", weighted" * (weights is not None)
        grown, _ = train(library, x, grades, method="mcrank", leaves=8, trees=K, weights=weights)
        for k in range(K):
            r = (grades == k) - 1 / K
            compare_splits(report, f"class {k} of mcrank{name} = DecisionTreeRegressor of residuals",
                           grown[k], their_tree(x, r, 8, weights))
            said, wanted = leaf_values(grown[k], w * r, w * (1 / K) * (1 - 1 / K))
            report.line(f"mcrank{name}, leaves of class {k} = (K - 1) / K sum r / sum p (1 - p)",
                        said, (K - 1) / K * wanted, 1e-6)
        grown, _ = train(library, x, grades, method="mcrank-ordinal", leaves=8, trees=K - 1,
                         weights=weights)
        for k in range(K - 1):
            r = (grades <= k) - 0.5
            compare_splits(report, f"cut {k} of mcrank-ordinal{name} = DecisionTreeRegressor",
                           grown[k], their_tree(x, r, 8, weights))
            said, wanted = leaf_values(grown[k], w * r, w * 0.25)
            report.line(f"mcrank-ordinal{name}, leaves of cut {k} = sum r / sum p (1 - p)", said,
                        wanted, 1e-6)
    for cost, c in (("absolute", lambda y, k: abs(y - k)), ("squared", lambda y, k: (y - k) ** 2),
                    ("oerr", lambda y, k: (2.0 ** y - 2.0 ** k) ** 2)):
        grown, _ = train(library, x, grades, method="cocr", cost=cost, leaves=8, trees=K - 1)
        for k in range(1, K):
            b = (grades >= k).astype(float)
            w = np.abs(c(grades, k) - c(grades, k - 1)).astype(float)
            start = np.average(b, weights=w)
            compare_splits(report, f"cut {k} of cocr {cost} = weighted DecisionTreeRegressor",
                           grown[k - 1], their_tree(x, b, 8, w))
            said, wanted = leaf_values(grown[k - 1], w * b, w)
            report.line(f"cocr {cost}, leaves of cut {k} = weighted means", said + start, wanted,
                        1e-6)


def gain(labels):
    return 2.0 ** labels - 1


def measure(metric, depth, most, labels):
    """The metric of a query whose labels are in rank order."""
    places = np.arange(1, len(labels) + 1)
    seen = places <= depth if depth else places > 0
    if metric == "ndcg":
        best = np.sort(labels)[::-1]
        return (np.sum((gain(labels) / np.log2(1 + places))[seen])
                / np.sum((gain(best) / np.log2(1 + places))[seen]))
    if metric == "err":
        stops = gain(labels) / 2.0 ** most
        left = np.concatenate([[1], np.cumprod(1 - stops)[:-1]])
        return np.sum((left * stops / places)[seen])
    relevant = labels >= 1
    return np.sum((relevant * np.cumsum(relevant) / places)[seen]) / relevant.sum()


def brute_lambdas(labels, scores, metric, depth, truncation, sigma, normalise, most):
    """Gradients and hessians of one query: every pair is swapped and measured anew."""
    n = len(labels)
    gradients, hessians, total = np.zeros(n), np.zeros(n), 0.0
    order = np.lexsort((np.arange(n), -scores))
    ranked = labels[order]
    if (gain(labels) if metric != "map" else labels >= 1).max() == 0 or labels.min() == labels.max():
        return gradients, hessians
    now = measure(metric, depth, most, ranked)
    for i in range(n):
        for j in range(i + 1, n):
            if ranked[i] == ranked[j] or (truncation and i >= truncation):
                continue
            swapped = ranked.copy()
            swapped[[i, j]] = swapped[[j, i]]
            delta = abs(measure(metric, depth, most, swapped) - now)
            better, worse = (order[i], order[j]) if ranked[i] > ranked[j] else (order[j], order[i])
            distance = scores[better] - scores[worse]
            if normalise and scores.min() != scores.max():
                delta /= 0.01 + abs(distance)
            rho = 1 / (1 + np.exp(sigma * distance))
            gradients[better] -= sigma * delta * rho
            gradients[worse] += sigma * delta * rho
            hessians[[better, worse]] += sigma ** 2 * delta * rho * (1 - rho)
            total += 2 * sigma * delta * rho
    scale = np.log2(1 + total) / total if normalise and total > 0 else 1.0
    return gradients * scale, hessians * scale


def compare_lambdas(library, report):
    x, target, random = make_rows(40, 1200, 8)
    grades = make_grades(target, 5)
    sizes = random.multinomial(1200 - 60, np.ones(60) / 60) + 1
    starts = np.concatenate([[0], np.cumsum(sizes)])
    for metric, depth, truncation, sigma, normalise, tied in (
            ("ndcg", 0, 30, 1.0, "query", True), ("ndcg", 0, 30, 1.0, "query", False),
            ("ndcg", 10, 0, 2.0, "none", False), ("ndcg", 5, 3, 1.0, "query", False),
            ("err", 0, 30, 1.0, "query", False), ("err", 10, 0, 1.0, "none", False),
            ("map", 0, 30, 1.0, "query", False), ("map", 0, 0, 0.5, "none", False)):
        initial = np.zeros(len(x)) if tied else np.round(random.normal(size=len(x)), 1)
        both = [brute_lambdas(grades[a:b], initial[a:b], metric, depth, truncation, sigma,
                              normalise == "query", 4)
                for a, b in zip(starts[:-1], starts[1:])]
        g, h = [np.concatenate(part) for part in zip(*both)]
        grown, _ = train(library, x, grades, sizes, initial=initial, method="lambdamart", leaves=8,
                         lambda_metric=metric, lambda_depth=depth, truncation=truncation,
                         sigma=sigma, normalise=normalise)
        what = (f"lambdamart {metric}@{depth or 'all'}, first {truncation or 'all'}, sigma {sigma}, "
                f"by {normalise}{', scores tied' * tied}")
        kept = h > 0  # rows without a pair weigh nothing, and may go either way
        theirs = their_tree(x[kept], -g[kept] / h[kept], 8, h[kept])
        compare_splits(report, f"{what} = DecisionTreeRegressor of -g/h",
                       Tree(grown[0].nodes, x[kept]), theirs)
        said, wanted = leaf_values(grown[0], -g, h)
        report.line(f"{what}: leaves = -sum g / sum h by brute force", said, wanted, 1e-5)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    library, report = load(sys.argv[1]), Report()
    compare_trees(library, report)
    compare_boosting(library, report)
    compare_losses(library, report)
    compare_classes(library, report)
    compare_lambdas(library, report)
    print(f"{report.compared} comparisons, {report.failed} failed")
    sys.exit(1 if report.failed else 0)


if __name__ == "__main__":
    main()
