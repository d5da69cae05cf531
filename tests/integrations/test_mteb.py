"""mteb's own evaluation of a reranking task made of a few lists, where it is installed."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    mteb = pytest.importorskip("mteb")

from anselm.evaluation.report import evaluate
from anselm.integrations.mteb import AnselmCrossEncoder
from anselm.ranking.ranker import Ranker

LISTS = Path(__file__).parents[2] / "src" / "anselm" / "examples" / "lists.jsonl"


def small_task() -> Any:
    from datasets import Dataset
    from mteb.mocks.mock_tasks.reranking import MockRerankingTask

    from anselm.data.datasets import load_dataset

    questions = list(load_dataset(LISTS))
    documents = [(f"{one.id}/{c.id}", c.text) for one in questions for c in one.candidates]

    class Lists(MockRerankingTask):  # type: ignore[misc]
        def load_data(self, num_proc: int | None = None, **kwargs: Any) -> None:
            ids, texts = zip(*documents, strict=True)
            split = {
                "queries": Dataset.from_dict({"id": [q.id for q in questions], "text": [q.text for q in questions]}),
                "corpus": Dataset.from_dict({"id": ids, "text": texts, "title": [""] * len(ids)}),
                "relevant_docs": {
                    q.id: {f"{q.id}/{c.id}": int(bool(c.label)) for c in q.candidates} for q in questions
                },
                "top_ranked": {q.id: [f"{q.id}/{c.id}" for c in q.candidates] for q in questions},
            }
            self.dataset, self.data_loaded = {"default": {"test": split}}, True

    return Lists()


@pytest.mark.filterwarnings("default")
def test_a_reranking_task_gets_the_map_that_we_measure(ranker: Ranker, tmp_path: Path) -> None:
    result = mteb.evaluate(AnselmCrossEncoder(ranker), small_task(), cache=None)
    [scores] = result.task_results[0].scores["test"]
    assert scores["map_at_1000"] == pytest.approx(evaluate(ranker, str(LISTS)).metrics["map"], abs=1e-4)
    assert result.model_name == "anselm/default"
