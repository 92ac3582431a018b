# SPDX-License-Identifier: Apache-2.0
"""The protocol of scikit-learn's estimators, without importing scikit-learn.

Parameters are attributes of the instance, and only those that were given: ``r.leaves`` is None if
it was not, and ``hasattr(r, "alpha")`` is False if the method has no such option.
"""
from __future__ import annotations

import sys
from typing import Any, ClassVar, TypeVar

from . import _core
from ._devices import plugin
from ._parameters import Signature, option_value, store
from ._threads import resolve

Self = TypeVar("Self", bound="Estimator")


class NotFittedError(ValueError, AttributeError):
    """The estimator has no model yet; scikit-learn's class of that name is used if it is loaded."""


def not_fitted(estimator: object) -> Exception:
    """Return the exception for a use before fit."""
    module = sys.modules.get("sklearn.exceptions")
    kind: type[Exception] = module.NotFittedError if module else NotFittedError
    name = type(estimator).__name__
    return kind(f"this {name} is not fitted yet: call fit first, or load a model")


class Estimator:
    """Parameters as scikit-learn expects them, and what the library needs of them."""

    _signature: ClassVar[Signature]
    _estimator_type: ClassVar[str] = "regressor"

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return all parameters.

        Parameters
        ----------
        deep : bool
            Without effect: parameters are not estimators.

        Returns
        -------
        dict
            Values by name; None: not given.
        """
        given = vars(self)
        return {key: given.get(key) for key in self._signature.by_key}

    def set_params(self: Self, **params: Any) -> Self:
        """Set parameters; the names of other tools are accepted.

        Parameters
        ----------
        **params : object
            Values by name; None: the default.

        Returns
        -------
        self
        """
        owner = type(self).__name__
        try:
            values = self._signature.named(params, owner)
        except TypeError as error:  # scikit-learn expects a ValueError here
            raise ValueError(str(error)) from None
        store(self, values)
        return self

    def __getattr__(self, name: str) -> Any:
        """Return None for a parameter that was not given and that the method has."""
        parameter = type(self)._signature.by_key.get(name)
        if parameter is None:
            if name in _AFTER_FIT and "model_" not in vars(self):
                raise not_fitted(self)
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        if parameter.name and not self._accepts(parameter.name):
            method = vars(self).get("method")
            raise AttributeError(f"'{name}' is not an option of method {method!r}")
        return None

    def _accepts(self, option: str) -> bool:
        """Whether the method, with the learner chosen, has an option."""
        given = vars(self)
        chosen = {name: given.get(name) for name in ("method", "learner", "preset")}
        try:
            return _core.method_accepts(chosen, option)
        except _core.Error:  # an unknown method: fit reports it
            return True

    def _options(self) -> dict[str, object]:
        """Return the options that were given, for ``_core``."""
        given = vars(self)
        rows = [p for p in self._signature.parameters if p.name and given.get(p.key) is not None]
        return {p.name: option_value(given[p.key]) for p in rows if not callable(given[p.key])}

    def _thread_count(self) -> int:
        """Return the parameter threads, of which -1 means all, as n_jobs of scikit-learn."""
        threads = vars(self).get("threads")
        return resolve(0 if threads == -1 else threads)

    def _plugin(self) -> str | None:
        """Return the plug-in of the parameter device; None: the CPU."""
        return plugin(vars(self).get("device"))

    def __repr__(self) -> str:
        """Return the call that creates the estimator, without defaults."""
        defaults = self._signature.defaults
        first = self._signature.parameters[0].key
        given = vars(self)
        words = [repr(given.get(first))]
        words += [f"{key}={given[key]!r}" for key, default in defaults.items()
                  if key != first and key in given and not _same(given[key], default)]
        return f"{type(self).__name__}({', '.join(words)})"

    def __dir__(self) -> list[str]:
        """List the parameters, too."""
        return sorted({*super().__dir__(), *self._signature.by_key})

    # ---- scikit-learn
    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in vars(self)

    def _more_tags(self) -> dict[str, Any]:
        return {"allow_nan": True, "requires_y": True, "X_types": ["2darray", "sparse"],
                "poor_score": self._is_poor()}

    def _is_poor(self) -> bool:
        """Whether scikit-learn should not expect scores near the labels: rankers order rows."""
        return vars(self).get("method") not in ("regression", "propodds")

    def __sklearn_tags__(self) -> Any:
        """Return the tags of scikit-learn 1.6 and later."""
        from sklearn import utils  # type: ignore[import]
        regressor = self._estimator_type == "regressor"
        poor = {"poor_score": self._is_poor()}
        return utils.Tags(
            estimator_type=self._estimator_type,
            target_tags=utils.TargetTags(required=True),
            regressor_tags=utils.RegressorTags(**poor) if regressor else None,
            classifier_tags=None if regressor else utils.ClassifierTags(**poor),
            input_tags=utils.InputTags(sparse=True, allow_nan=True))


def _same(value: object, default: object) -> bool:
    return value is default or isinstance(value, str) and value == default


_AFTER_FIT = frozenset((
    "model_", "n_features_in_", "feature_names_in_", "classes_", "curve_", "importance_", "recipe_",
    "coef_", "intercept_", "threshold_", "standard_errors_", "log_likelihood_"))
