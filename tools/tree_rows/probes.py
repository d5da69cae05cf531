"""What `anselm probe --json` says, with trees that are kept and no command line:

    python -m tools.tree_rows.probes FOLDER OUT DATA=TREE,SEQUENTIAL...

OUT.candidate.json and OUT.question.json, for the tree of either.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from anselm.evaluation.probe_runs import METRICS, Plan, Wanted, probe
from anselm.evaluation.probes import OF, correlations
from tools.tree_rows.rows import use_kept


def main() -> None:
    folder, out, *asked = sys.argv[1:]
    use_kept(Path(folder))
    for of in OF:
        found = [probe(Wanted.parse(one), Plan("own", of)) for one in asked]
        rho = {metric: correlations(found, metric) for metric in METRICS}
        said = {"of": of, "corpora": [asdict(one) for one in found], "spearman": rho}
        Path(f"{out}.{of}.json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
