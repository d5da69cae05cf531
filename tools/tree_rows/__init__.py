"""How the rows of the tree models are run on a machine with a GPU and little else installed, in this order:

    python -m tools.tree_rows.silver_trees STANFORD OUT         trees of questions, by Stanford's parser (GPL)
    python -m tools.tree_rows.learn_parser FOLDER [TREES]       a parser's weights, without a graph
    python -m tools.tree_rows.teacher_trees FOLDER OUT          trees of a parser on a larger encoder, to learn from
    python -m tools.tree_rows.keep_trees FOLDER TREES [I N]     the corpora's trees
    python -m tools.tree_rows.rows FOLDER TREES JOURNAL RECIPE CORPUS SEED...
    python -m tools.tree_rows.plan FOLDER ROW:CORPUS[:SEEDS] ... > JOBS.json    rows side by side, for ...
    python -m tools.side_by_side JOBS.json FOLDER               which are these two and a transfer alone:
    python -m tools.tree_rows.transfer OUT RECIPE CORPUS SEED
    python -m tools.tree_rows.one_setting FOLDER TREES JOURNAL RECIPE CORPUS SEED NUMBER
    python -m tools.tree_rows.probes FOLDER OUT DATA=TREE,SEQUENTIAL...
    python -m tools.tree_rows.differences                       what tree and syntax add, from recorded results

The journals are then read by `anselm reproduce --journal`, which records the results.
"""
