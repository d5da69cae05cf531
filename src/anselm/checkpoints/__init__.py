"""Checkpoints: folders that every command takes as a model, and the models that there are.

checkpoint        a folder: its files by name, and what runs it
catalogue         which models exist, shipped or of other packages, and how one is made
bases             what training begins with: a model, a checkpoint, an encoder
checksums         whether the files are as they were written
cache             where models lie that were fetched
settings          the settings of a model or a training, checked against its dataclass
blend             the settings of a blended ranker
saved_vocabulary  the words of a model over word vectors
card              what a model was trained on
"""
