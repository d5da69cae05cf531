"""Evaluate the lexical models on every corpus that is here and print docs/results.md's tables. Needs ANSELM_DATA."""

# ruff: noqa: T201

from __future__ import annotations

from anselm.data.datasets import load_dataset
from anselm.evaluation.report import evaluate

MODELS = ("bm25", "tfidf", "overlap", "jaccard")
SETS = (
    ("wikiqa", "test", "clean"), ("wikiqa", "test", "raw"), ("trecqa", "test", "clean"), ("trecqa", "test", "raw"),
    ("selqa", "dev", "raw"), ("squad", "dev", "raw"), ("addonesent", "test", "worst-copy"),
    ("addsent", "test", "worst-copy"), ("squadshifts", "wiki", "raw"), ("squadshifts", "amazon", "raw"),
    ("semeval-2015", "test", "clean"), ("semeval-2016", "test", "clean"), ("semeval-2016", "test", "official"),
    ("stackexchange", "cardano", "clean"), ("stackexchange", "coffee", "clean"), ("insuranceqa-text", "test", "raw"),
)  # fmt: skip


def main() -> None:
    print(
        "| corpus, split (protocol) | questions / pairs |",
        " | ".join(f"{name} MAP / MRR / P@1" for name in MODELS),
        "|",
    )
    print("|---|---|" + "---|" * len(MODELS))
    calibration = ["| corpus, split (protocol) | ECE | precision | recall | F1 |", "|---|---|---|---|---|"]
    for name, split, protocol in SETS:
        dataset = load_dataset(name, split, protocol)
        reports = [evaluate(model, dataset, metrics=("map", "mrr", "p@1")) for model in MODELS]
        cells = [" / ".join(f"{value:.3f}" for value in report.metrics.values()) for report in reports]
        place = f"{name}, {split} ({protocol})"
        print(f"| {place} | {reports[0].questions:,} / {reports[0].pairs:,} | {' | '.join(cells)} |", flush=True)
        if said := reports[0].triggering:
            row = [reports[0].ece or 0.0, *(said[key] for key in ("precision", "recall", "f1"))]
            calibration.append(f"| {place} | {' | '.join(f'{value:.3f}' for value in row)} |")
    print("\n" + "\n".join(calibration))


if __name__ == "__main__":
    main()
