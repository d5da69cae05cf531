"""The HTTP service: one process that speaks HTTP and owns the queue, and ranker processes that do the reading."""
