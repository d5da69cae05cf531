"""One file per file format: read and write lists. `known_formats` has the table of what users can name.

Some published corpora have made their file layout a format of its own; those are read by the corpus's file.
"""
