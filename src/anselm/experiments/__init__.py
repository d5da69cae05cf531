"""From data to a checkpoint, and from a recipe to a row of a table: where everything is wired together.

schema, recipe_files, availability   what a recipe is, where it stands, and whether its data is here; papers/ has them
jobs, job_pool, journal, fingerprints   one seed of a recipe; many, side by side, with a journal of what is done
run                                  recipes, all seeds, as recorded results
training_runs, recalibration         a checkpoint of a recipe or of one's own data; probabilities of one that is there
provenance, reruns, agreement        what a run was made of, a record run again, and whether recipes still say the same
results, record_shape, result_tables, published, sweeps   the record of a row, what it must look like, tables and curves
comparisons, gains                   a row beside the one that it is compared with, and where it gains
parts, stage_vectors, vector_training   the data and the word vectors of a stage
parser_runs, question_trees          the parser that `anselm train parser` makes, and questions for it to learn
"""
