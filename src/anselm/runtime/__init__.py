"""Running exported models without torch: numpy, tokenizers, and ONNX Runtime or OpenVINO.

pairs         an exported cross-encoder as a scorer
words         an exported model over word vectors as a scorer
blended       the general ranker, which has two graphs
cascade       two general rankers in a row: the larger one reads what may still matter
late, late_weights   the late-interaction ranker, in numpy
sentence_encoder   the encoder of a blended ranker by itself
rows          pairs of texts -> padded rows of tokens
engines       an ONNX file -> a function from rows to signals
vector_store  vectors of texts that were encoded before
"""

import os
import sys

# Both engines tell their makers how they are used, and keep files about it at home, unless they are kept from it before
# they start: ONNX Runtime by a variable; OpenVINO does without the part that sends where it cannot be imported.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
