"""One file per published source; every file here offers its corpora in a tuple named CORPORA."""
