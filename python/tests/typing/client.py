# SPDX-License-Identifier: Apache-2.0
"""A program of a user, which mypy --strict must accept (test_typing.py)."""
import numpy as np
import numpy.typing as npt

import gradus

train: gradus.Dataset = gradus.synth.web(queries=20, seed=1)
valid = gradus.read("valid.txt")
ranker = gradus.Ranker("lambdamart", leaves=31, rounds=50, learning_rate=0.1, query="qid", seed=1)
aliases = gradus.Ranker(num_leaves=31, n_estimators=50)
ranker.fit(train, eval_set=valid, callbacks=[gradus.progress()])
X = np.zeros((4, 136), dtype=np.float32)
scores: npt.NDArray[np.float64] = ranker.predict(X)
probabilities: npt.NDArray[np.float64] = ranker.predict_proba(X)
leaves: int | None = ranker.leaves
ranker.save("m.model")
loaded: gradus.Ranker = gradus.Ranker.load("m.model")
ordinal = gradus.OrdinalClassifier("propodds", learner="linear").fit(X, np.arange(4))
grades = ordinal.predict(X)
result = gradus.evaluate(train, {"a": scores, "b": ranker}, "ndcg@10", convention="letor4")
text: str = repr(result)
