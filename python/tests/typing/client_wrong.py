# SPDX-License-Identifier: Apache-2.0
"""Mistakes that mypy must find, each with the start of its message (test_typing.py)."""
import gradus

gradus.Ranker("lambdamort")  # Argument 1 to "Ranker" has incompatible type "Literal['lambdamort']"
gradus.Ranker(leavs=31)  # Unexpected keyword argument "leavs" for "Ranker"; did you mean "leaves"?
gradus.Ranker(leaves="31")  # Argument "leaves" to "Ranker" has incompatible type "str"
gradus.Ranker(num_leaves=3.5)  # Argument "num_leaves" to "Ranker" has incompatible type "float"
gradus.Ranker("lambdamart", 31)  # Too many positional arguments for "Ranker"
gradus.OrdinalClassifier(learner="tree")  # Argument "learner" to "OrdinalClassifier"
gradus.synth.web(query=20)  # Unexpected keyword argument "query" for "web"
gradus.read(3)  # Argument 1 to "read" has incompatible type "int"
gradus.nothing  # Module has no attribute "nothing"
