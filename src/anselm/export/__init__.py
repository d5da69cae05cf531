"""From a model that needs torch to an ONNX graph that does not.

exporter    a checkpoint, exported: which graph it becomes, and where it is written
word_graph  models over word vectors as a graph
parser_graph  the large part of a parser as a graph
graphs      tracing, and what is simplified in a graph
quantize    weights and activations in int8
"""
