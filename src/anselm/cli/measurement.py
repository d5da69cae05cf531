"""What `evaluate`, `evaluate --robust` and `compare` are asked to measure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from anselm.cli.options import judged_columns

if TYPE_CHECKING:
    from anselm.data.datasets import Dataset
    from anselm.metrics.ties import Ties


@dataclass(frozen=True)
class Measurement:
    """The lists, and by what; `plot` and `save` are files to be written."""

    data: str
    split: str | None
    protocol: str | None
    metrics: str
    ties: str
    judged_only: bool
    data_dir: Path | None
    columns: str | None = None
    save: Path | None = None
    plot: Path | None = None
    faq: Path | None = None
    as_typed: bool = False

    @property
    def files(self) -> list[str | Path]:
        """What is read, and must not be written over."""
        return [self.data] if self.faq is None else [self.data, self.faq]

    @property
    def names(self) -> list[str]:
        return [name.strip() for name in self.metrics.split(",") if name.strip()]

    @property
    def tie_rule(self) -> Ties:
        return cast("Ties", self.ties)

    def check(self) -> None:
        """Before anything is read."""
        from anselm.evaluation.report import check_metrics

        check_metrics(self.names, self.ties)

    def read(self) -> Dataset:
        from anselm.cli.show import waiting
        from anselm.data.datasets import load_dataset, load_judged_faq

        columns = judged_columns(self.columns, self.faq)
        with waiting("reading"):
            if self.faq is not None:
                return load_judged_faq(self.data, self.faq, self.split, self.protocol, columns)
            return load_dataset(self.data, self.split, self.protocol, self.data_dir, columns=columns)
