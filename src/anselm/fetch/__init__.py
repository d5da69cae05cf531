"""Models that do not come whole with the package: their encoder is got from elsewhere, once, and merged here.

fetched_models  a model's folder, made of what is shipped and of its encoder, in the user's cache
sources         where the encoder comes from: a folder, archives, the Hugging Face hub
downloads       one file over https, which goes on where it broke off
weight_file     the weights of the graphs, the same bytes on every machine
tensors         a safetensors file as numpy arrays
progress_line   how far it is, on standard error
"""
