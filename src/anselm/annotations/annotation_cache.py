"""Annotations that were made before, by the content of their texts: the same sentences are read in every epoch."""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from anselm.annotations.annotation_file import append_annotations, read_annotations
from anselm.annotations.annotator import Annotation, Annotator
from anselm.checkpoints.cache import VARIABLE, cache_folder

MOST = 200_000  # annotations in memory; about 100 MB of names


class AnnotationCache:
    """The annotations that were used last. May be used by several threads.

    Where there is a folder, those of costly annotators are also kept there, in a file for each annotator.
    """

    def __init__(self, folder: Path | None = None, most: int = MOST) -> None:
        self.folder = folder
        self.most = most
        self._kept: OrderedDict[str, Annotation] = OrderedDict()
        self._read: set[Path] = set()
        self._lock = Lock()

    def annotate(self, annotator: Annotator, texts: Sequence[str]) -> list[Annotation]:
        """One annotation per text; the annotator makes those that are not here, each text once."""
        about = _describe(annotator)
        path = self._place(annotator, about)
        keys = [_digest(about, text) for text in texts]
        with self._lock:
            self._read_once(path)
            found = {key: self._kept[key] for key in keys if key in self._kept}
            self._touch(found)
        absent = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if absent:
            made = dict(zip(absent, annotator.annotate(list(absent.values())), strict=True))
            found |= made
            self._keep(made, path)
        return [found[key] for key in keys]

    def _touch(self, found: dict[str, Annotation]) -> None:
        for key in found:
            self._kept.move_to_end(key)

    def _keep(self, made: dict[str, Annotation], path: Path | None) -> None:
        with self._lock:
            self._add(made)
            if path is not None:
                append_annotations(path, made)

    def _add(self, annotations: dict[str, Annotation]) -> None:
        self._kept |= annotations
        while len(self._kept) > self.most:
            self._kept.popitem(last=False)

    def _place(self, annotator: Annotator, about: str) -> Path | None:
        if self.folder is None or not annotator.costly:
            return None
        return self.folder / f"{_digest(about, '')}.annotations"

    def _read_once(self, path: Path | None) -> None:
        if path is not None and path not in self._read:
            self._read.add(path)
            self._add(read_annotations(path))


def _describe(annotator: Annotator) -> str:
    return f"{annotator.name}\n{annotator.version}\n"


def _digest(about: str, text: str) -> str:
    return hashlib.blake2b((about + text).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _shared_folder() -> Path | None:
    """On disk only where somebody has said where."""
    return cache_folder() / "annotations" if os.environ.get(VARIABLE) else None


SHARED = AnnotationCache(_shared_folder())
