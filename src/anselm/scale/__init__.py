"""Many lists on many machines: parts in, parts out.

places           local folders, and what fsspec knows
input_parts      which files there are, and the pieces of large ones
list_files, parquet_files   reading the lists of a piece, writing ranked ones: JSONL, gzip, Parquet
repeats          ids that come in two pieces of one file
manifest         what a folder of ranked parts was made with
tasks            what a worker is given: to rank a part, to score some lists
crew             workers and how tasks are shared out among them, whichever engine they run on
local_crew       processes on this machine
ray_crew         Ray's actors, on as many machines as its cluster has
crews            which of the two does the work
bulk_run         all of it: rank_parts
shared_scorer    a scorer whose lists are shared out, for `anselm evaluate`
"""
