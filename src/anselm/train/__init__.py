"""Training, which knows nothing of any model. Needs torch and accelerate.

fit              a model on data: from lists to a checkpoint folder
loop             THE loop; sampling, losses, optimizers, averaging, state and log are its parts
hyperparameters  what can be set
beliefs          probabilities and the verdict on a list, fitted to scores
dry_run          what a training run would do
"""
