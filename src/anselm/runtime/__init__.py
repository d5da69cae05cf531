"""Running exported models without torch: numpy, tokenizers, and ONNX Runtime or OpenVINO.

loading       a checkpoint by name or folder -> something that scores lists, whichever engine it needs
exported      one exported checkpoint as a scorer
words         one exported model over word vectors as a scorer
general       the general ranker, which has several graphs
rows          pairs of texts -> padded rows of tokens
engines       an ONNX file -> a function from rows to signals
vector_store  vectors of texts that were encoded before
cores         how many threads that function may use
"""

import os

# ONNX Runtime tells its makers how it is used, and keeps a file about it at home, unless this is set before it starts.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
