"""The large encoder's weights in a quarter of their size, for the way to another machine: int8 by groups of 64."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

GROUP = 64
PART = 12_500_000  # bytes of a file


def pack_large(source: Path, folder: Path) -> int:
    """Writes part0.bin, ... and index.pt; -> how many parts."""
    from safetensors.torch import load_file

    index, whole = {}, bytearray()
    for name, tensor in load_file(source).items():
        if "pooler" in name or "position_ids" in name:
            continue
        if tensor.numel() % GROUP or tensor.numel() < 10_000:
            parts = [tensor.float().numpy()]
        else:
            rows = tensor.float().reshape(-1, GROUP)
            scale = (rows.abs().amax(dim=1) / 127).clamp(min=1e-8).half()
            parts = [(rows / scale.float()[:, None]).round().clamp(-127, 127).to(torch.int8).numpy(), scale.numpy()]
        index[name] = (tuple(tensor.shape), [(len(whole), part.shape, str(part.dtype)) for part in parts[:1]])
        for number, part in enumerate(parts):
            if number:
                index[name][1].append((len(whole), part.shape, str(part.dtype)))
            whole += part.tobytes()
    torch.save(index, folder / "index.pt")
    count = -(-len(whole) // PART)
    for number in range(count):
        (folder / f"part{number}.bin").write_bytes(whole[number * PART : (number + 1) * PART])
    return count


def unpack_large(folder: Path) -> dict[str, Tensor]:
    index = torch.load(folder / "index.pt", weights_only=False)
    paths = sorted(folder.glob("**/part*.bin"), key=lambda path: int(path.stem[4:]))
    whole = b"".join(path.read_bytes() for path in paths)
    found = {}
    for name, (shape, places) in index.items():
        arrays = [np.frombuffer(whole, kind, int(np.prod(size)), start).reshape(size) for start, size, kind in places]
        tensors = [torch.from_numpy(array.copy()) for array in arrays]
        if len(tensors) == 1:
            found[name] = tensors[0].reshape(shape)
        else:
            found[name] = (tensors[0].float() * tensors[1].float()[:, None]).reshape(shape)
    return found
