"""The HTTP service: one process that speaks HTTP and owns the queue, and ranker processes that do the reading.

A request, from the socket to its answer:

server, connections   the socket and its end; what a connection may take its time for
app             all of it as one value
guards, keys    counted, its key and its size checked
strict_json, bodies, document_forms   the body as JSON, then as what a family of clients sends
routes          who does it, and in which shape it is answered
readings        what it asks for, done with a ranker
sent_documents  the texts and files that are asked
file_readers, file_process   who reads the files, apart from all else
service         which requests are accepted, and which models there are
remote, queue   a scorer that cuts lists into slices, and the queue that these wait in
workers, ranker_process   the threads that keep ranker processes, and what these do
shapes          what was found, as each family of clients reads it
refusals        why it is not answered, likewise

configuration   what a service is started with
counters        what is counted, for Prometheus
replies, samples   the answers and examples of the OpenAPI document
page/           the page to rank on, and the recorded results
"""
