"""Training: losses, sampling, packing, the loop, checkpoints. Needs torch and accelerate, and nothing of any model."""
