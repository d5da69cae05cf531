"""How the three shipped models are made: `default`, `accurate` and `fast`. It is not in the wheel, and run by hand.

ANSELM_DATA names the corpora; `anselm[export]` is needed, and a GPU for whatever trains or teaches. LARGE and SMALL are
folders of all-mpnet-base-v2 and all-MiniLM-L6-v2. What is finished goes to src/anselm/shipped; its card is written by
hand. Each file's docstring says more.

What more than one of them needs:

    python -m tools.default_model.collect_entries ENTRIES.jsonl     entries of FAQs and manuals, from Debian packages
    python -m tools.default_model.prepare_judged JUDGED.npz         dev lists and collections/, as arrays of tokens
    python -m tools.default_model.prepare_teaching ENTRIES.jsonl DICTIONARY.dict.dz TEXTS.npz --glosses data.noun ...
                                                                    what teacher and students are shown, likewise

The four by words alone have nothing to be made of but probabilities and a verdict:

    python -m tools.default_model.calibrate_default src/anselm/shipped/bm25 --write

`default`, a small cross-encoder taught by a large one. OTHER is trained without a corpus, to fit the blend on it:

    python -m tools.default_model.train_default teacher ENTRIES.jsonl TEACHER
    python -m tools.default_model.train_default reader ENTRIES.jsonl READER --teacher TEACHER
    python -m tools.default_model.train_default reader ENTRIES.jsonl OTHER --teacher TEACHER --seeds 1 --without selqa
    python -m tools.default_model.make_default READER ENTRIES.jsonl DEFAULT --held-out selqa/dev=OTHER
                                                                    export, int8, the weights of the blend
    python -m tools.default_model.calibrate_default DEFAULT --write       probabilities and verdict

`accurate`, an adapter for LARGE. It stands behind the default, whose reader is DEFAULT/onnx/reader.onnx:

    python -m tools.default_model.teaching.teach TEXTS.npz JUDGED.npz LARGE WORK           WORK/lora.safetensors
    python -m tools.default_model.make_accurate LARGE WORK/lora.safetensors ENTRIES.jsonl ACCURATE
                                                                    graphs without weights, recipe, adapter
    python -m tools.default_model.teaching.tier_scores JUDGED.npz LARGE SMALL WORK/lora.safetensors \\
        DEFAULT/onnx/reader.onnx SCORES.npz                         scores of both, to calibrate on; also the default's
    python -m tools.default_model.calibrate_default ACCURATE --scores SCORES.npz --write
    python -m tools.default_model.seal_accurate LARGE ACCURATE      checksums, also of the weights that are fetched

`fast`, a student of the accurate model. Its weights are STUDENT/static256-0.safetensors, STUDENT-2/... and so on:

    python -m tools.default_model.teaching.scoring TEXTS.npz JUDGED.npz LARGE SMALL WORK/lora.safetensors \\
        DEFAULT/onnx/reader.onnx PARTS                              what the teacher says of lists, part by part
    python -m tools.default_model.teaching.pupils TEXTS.npz JUDGED.npz PARTS LARGE DEFAULT/onnx/reader.onnx \\
        STUDENT static256                                           with --start WEIGHTS, it goes on from there
    python -m tools.default_model.teaching.lean TEXTS.npz PARTS FURTHER.safetensors WEIGHTS.safetensors ...
                                                                    further on a CPU, where there is no GPU
    python -m tools.default_model.make_fast FAST WEIGHTS.safetensors ...                   rounded, for numpy
    python -m tools.default_model.calibrate_default FAST --scores STUDENT/judged-static256.npz --write

The default's reader can be taught on the same PARTS. Nothing that is shipped was made like this:

    python -m tools.default_model.teaching.pupils TEXTS.npz JUDGED.npz PARTS LARGE READER.onnx STUDENT default
    python -m tools.default_model.teaching.similar TEXTS.npz JUDGED.npz PARTS SMALL SIMILAR
                                                                    the similarity's encoder; no command takes it
    python -m tools.default_model.teaching.shares JUDGED.npz PARTS/judged.npz READER.onnx OUT a=STUDENT,STUDENT-2
                                                                    means of old and new weights, on the dev lists
    python -m tools.default_model.make_student DEFAULT ENTRIES.jsonl WEIGHTS.safetensors ... --share 0.5
                                                                    the default's folder with another reader

What the commands are made of:

    packages.txt        the Debian packages
    entries/            finds entries: `packages` and `licences` unpack and choose packages; `html`, `manuals`, `pod`,
                        `text` read their files as `blocks`; `finding`, `headings`, `answers` make entries of these
    mixture             the labelled lists that all readers and teachers learn from
    entry_lists         entries as lists, with answers of other entries
    widening            wrong sentences of the same article and the same source join a list
    swapping            right sentences with other names in them, which are wrong
    softening           labels mixed with what a teacher thinks
    general             a reader and its untouched encoder, exported into one folder
    blending            fits the weights of the two
    pools               right answers among answers of other questions
    gathering           text and questions that nobody labelled, in pools
    short_texts         the same, one to four sentences long
    cutting             questions cut out of statements by rule, and questions as people type them
    near                BM25 neighbours of many questions at once
    piece_numbers       pieces of one tokenizer by the numbers of another
    skeletons           graphs without their encoder's weights, and the recipe for these
    accurate/           adapter.json: scale, lengths and blend of the adapter that is shipped
    collections/        hand-written FAQs, documents and threads with questions; its README says how
    collected           their records, questions, and which sentence answers one
    verdict_lists       these and dev lists as lists with and without an answer, by family and source
    mixed_lists         entries and sentences in one list
    passage_lists       passages of some hundred words, as a retriever hands them over
    kept_scores         scores that were written down, as a scorer
    verdict_table       how often a verdict is right, family by family
    verdict_plot        the same as a picture
    slips               what a misspelt word costs, and what is left of it when questions are respelled

And those in teaching/:

    rows, arrays        pairs as rows of tokens, and what prepare_* wrote, on the device
    large, small        the teacher and the default's reader, laid out for speed
    late, cross         fast students: texts read apart (`static256` is one), or together in two layers
    lessons, losses     what the teacher wrote as steps of training, and what a list costs
    judging, looks      measures on the dev lists, and a student's weights and scores, written down
"""
