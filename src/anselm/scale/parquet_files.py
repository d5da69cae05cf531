"""Lists in Parquet, with pyarrow: the columns of grouped JSONL in, those of ranked lists out.

In: `question`, `candidates` (a list of texts, or of structs with a `text`), and, where there are, `id` and `meta`.
Out: `id`, `question`, `model`, `answerable`, `answerability`, `unsure`, `threshold`, `empty`, `warnings`, `meta` and
`results`, a list of structs. What else came with a list or a candidate is JSON in `meta`: a column needs one type.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

from anselm.errors import FormatError, MissingExtraError
from anselm.scale.places import open_place

ROWS = 64  # in memory at once
ROW_GROUP = 1_024  # lists of what is written


def row_group_sizes(place: str) -> list[int]:
    """Bytes of each, unpacked."""
    with open_place(place) as file:
        metadata = open_parquet(place, file).metadata
        return [metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups)]


def read_rows(place: str, start: int, stop: int | None) -> Iterator[tuple[int, dict[str, Any]]]:
    """(row number from 1, values) of some row groups."""
    with open_place(place) as file:
        parquet = open_parquet(place, file)
        metadata = parquet.metadata
        groups = range(start, metadata.num_row_groups if stop is None else stop)
        before = sum(metadata.row_group(one).num_rows for one in range(start))
        with told(place):
            batches = parquet.iter_batches(ROWS, row_groups=list(groups))
            rows = (row for batch in batches for row in batch.to_pylist())
            for number, row in enumerate(rows, start=before + 1):
                yield number, without_nulls(row)


def without_nulls(row: Mapping[str, Any]) -> dict[str, Any]:
    """A value that is not there is no value: a column has all fields for each row."""
    return {name: value for name, value in row.items() if value is not None}


def open_parquet(place: str, file: IO[bytes]) -> Any:
    with told(place):
        return import_pyarrow("parquet").ParquetFile(file)


@contextmanager
def told(place: str) -> Iterator[None]:
    arrow = import_pyarrow("lib")
    try:
        yield
    except (TimeoutError, ConnectionError):  # a store that does not answer now may do so the next time
        raise
    except (arrow.ArrowException, OSError, ValueError, OverflowError) as error:
        first = str(error).strip().partition("\n")[0]  # an OSError, too, may be about bytes that make no sense
        raise FormatError(place, f"not whole Parquet ({first})") from None


def import_pyarrow(part: str) -> Any:
    try:
        from importlib import import_module

        return import_module(f"pyarrow.{part}")
    except ImportError:
        raise MissingExtraError("Parquet", "scale") from None


class RankedRows:
    """A Parquet file that takes ranked lists one by one."""

    def __init__(self, file: IO[bytes]) -> None:
        self._arrow = import_pyarrow("lib")
        self._writer = import_pyarrow("parquet").ParquetWriter(file, ranked_schema(self._arrow), compression="zstd")
        self._rows: list[dict[str, Any]] = []

    def write(self, record: Mapping[str, Any]) -> None:
        self._rows.append({**with_json(record), "results": [with_json(one) for one in record["results"]]})
        if len(self._rows) == ROW_GROUP:
            self._flush()

    def _flush(self) -> None:
        schema = self._writer.schema
        self._writer.write_table(self._arrow.Table.from_pylist(self._rows, schema=schema))
        self._rows.clear()

    def finish(self) -> None:
        if self._rows:
            self._flush()

    def close(self) -> None:
        """As long as the file is open: pyarrow would do it later, and complain on standard error."""
        try:
            self._writer.close()
        finally:
            self._writer.is_open = False


def with_json(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Its metadata as JSON; a date or what else JSON does not know, as text."""
    return {**record, "meta": json.dumps(record["meta"], default=str)} if "meta" in record else record


def ranked_schema(arrow: Any) -> Any:
    text, number, yes = arrow.string(), arrow.float64(), arrow.bool_()
    result = {"index": arrow.int64(), "id": text, "text": text, "score": number, "probability": number}
    result |= {"question": text, "meta": text, "read": yes}
    fields = {"id": text, "question": text, "model": text, "answerable": yes, "answerability": number}
    fields |= {"unsure": yes, "threshold": number, "empty": arrow.int64(), "warnings": arrow.list_(text), "meta": text}
    return arrow.schema([*fields.items(), ("results", arrow.list_(arrow.struct(list(result.items()))))])
