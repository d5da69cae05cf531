"""Which crew does the work: processes of this machine, or actors of a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable

from anselm.errors import UnknownNameError
from anselm.machine import usable_cores
from anselm.ranking.given import check_count
from anselm.ranking.torch_devices import check_device, devices_of
from anselm.scale.crew import Crew

LOCAL, RAY = "local", "ray"


def crew_maker(
    model: str, device: str | None = None, engine: str = LOCAL, workers: int | None = None
) -> Callable[[int], Crew]:
    """For `rank_parts`: a crew for so many parts. What cannot be is refused here, before anything is written."""
    check_count("workers", workers)
    if engine not in (LOCAL, RAY):
        raise UnknownNameError("engine", engine, (LOCAL, RAY))
    if device is not None:
        check_device(device)
    devices = devices_of(device) if engine == LOCAL else ()  # what is there on a cluster, its machines know

    def make(parts: int) -> Crew:
        if engine == RAY:
            from anselm.scale.ray_crew import RayCrew

            return RayCrew(workers, parts, model, device)
        from anselm.scale.local_crew import LocalCrew

        return LocalCrew(min(workers or usable_cores(), parts), model, devices)

    return make
