"""Training, which knows nothing of any model. Needs torch and accelerate.

fit              a model on data: from lists to a checkpoint folder
loop             THE loop, whose parts follow
sampling, losses, optimizers, rmsprop, averaging   what it learns from, by what, and how weights move
state, identity, log   what a run that was stopped goes on from, and what it tells
trainable        what it asks of a model
devices, processes, requirements   what there is to train on, and what must be installed
hyperparameters  what can be set
beliefs          probabilities and the verdict on a list, fitted to scores
dry_run          what a training run would do
"""
