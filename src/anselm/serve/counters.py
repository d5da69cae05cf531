"""What is counted, for Prometheus. Each service has a registry of its own."""

from __future__ import annotations

from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from anselm.serve.queue import Slice
from anselm.serve.ranker_process import Answer, Scored

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
TOKENS = (32, 128, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 65_536)


class Counters:
    def __init__(self) -> None:
        self.registry = own = CollectorRegistry()
        labels = ("route", "model", "code")
        self.requests = Counter("anselm_requests_total", "Requests answered", labels, registry=own)
        self.duration = Histogram(
            "anselm_request_duration_seconds", "From first to last byte", ("route",), buckets=SECONDS, registry=own
        )
        self.queue_wait = Histogram(
            "anselm_queue_wait_seconds", "From being accepted to being read", buckets=SECONDS, registry=own
        )
        self.queue_depth = Gauge("anselm_queue_depth", "Slices of requests that wait", registry=own)
        self.batch_tokens = Histogram("anselm_batch_tokens", "Tokens of a batch", buckets=TOKENS, registry=own)
        self.pairs = Counter("anselm_pairs_total", "Pairs of question and document scored", ("model",), registry=own)
        self.inference = Histogram(
            "anselm_inference_seconds", "What a ranker process takes for a batch", buckets=SECONDS, registry=own
        )
        self.rejected = Counter("anselm_rejected_total", "Requests not answered", ("reason",), registry=own)
        self.windowed = Counter("anselm_windowed_documents_total", "Documents read in windows", registry=own)
        self.answerable = Counter("anselm_answerable_total", "Lists by verdict", ("verdict",), registry=own)
        self.restarts = Counter("anselm_ranker_restarts_total", "Ranker processes that were replaced", registry=own)
        self.ready = Gauge("anselm_rankers_ready", "Ranker processes that read", registry=own)

        self._pace = 0.0

    def pace(self) -> float:
        """Characters that one ranker process reads in a second, of late."""
        return self._pace

    def batch(self, batch: Sequence[Slice], answer: Answer) -> None:
        self.inference.observe(answer.seconds)
        pace = sum(one.cost for one in batch) / max(answer.seconds, 1e-3)
        self._pace = 0.8 * self._pace + 0.2 * pace if self._pace else pace
        found = [outcome.value for outcome in answer.outcomes]
        self.batch_tokens.observe(sum(one.tokens for one in found if isinstance(one, Scored)))
        for one, value in zip(batch, found, strict=True):
            if isinstance(value, Scored):
                self.pairs.labels(one.model).inc(len(value.scores))
                self.windowed.inc(len(value.windowed))

    def verdict(self, answerable: bool | None) -> None:
        names = {True: "answer", False: "no_answer", None: "none"}
        self.answerable.labels(names[answerable]).inc()
