"""Pools: passages that are kept on disk or on a server, and found by their words and their meaning.

pool             add, delete, search: the front door of this room
item, item_files   what a pool holds, and files as that
filters, fusion  which passages are meant; two orders as one
terms            BM25 as sparse vectors, the same on every engine
filling          vectors that a thread fills in
feedback         what people said of answers, as labelled lists
engine, locations   what a pool stands on, and which one an address means
embedded         a folder: the truth, and an index that is derived from it
store, database  the truth, in SQLite
indexes          which index it is searched with
exact_index, postings   in memory
edge_index, edge_points, edge_filters, edge_position, stem_counts   on disk, by Qdrant Edge
postgres, postgres_words   PostgreSQL with pgvector
qdrant           a Qdrant server
"""
