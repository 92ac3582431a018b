# SPDX-License-Identifier: Apache-2.0
"""A study of Optuna over parameters of Ranker."""
from __future__ import annotations

import pytest

from gradus import Ranker
from small_sets import web

optuna = pytest.importorskip("optuna")


@pytest.mark.filterwarnings("ignore")
def test_study():
    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def objective(trial):
        ranker = Ranker(trial.suggest_categorical("method", ["lambdamart", "regression"]), rounds=6,
                        leaves=trial.suggest_int("leaves", 2, 12),
                        learning_rate=trial.suggest_float("learning_rate", 0.02, 0.5, log=True))

        def prune(state):
            trial.report(state.valid, state.round)
            if trial.should_prune():
                raise optuna.TrialPruned
        return ranker.fit(web(), eval_set=web(8, 2), callbacks=[prune]).score(web(8, 2))

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=1),
                                pruner=optuna.pruners.MedianPruner(n_startup_trials=3))
    study.optimize(objective, n_trials=10)
    complete = [t for t in study.trials if t.state == optuna.trial.TrialState.COMPLETE]
    assert len(study.trials) == 10 and len(complete) >= 3
    best = Ranker(rounds=6, **study.best_params).fit(web(), eval_set=web(8, 2))
    assert best.score(web(8, 2)) == study.best_value
