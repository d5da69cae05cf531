"""Word vectors of texts of one's own: read from anywhere, made once, kept, and found by recipes and models."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from anselm.checkpoints.cache import cache_folder
from anselm.cli import main
from anselm.errors import InputError, MissingExtraError
from anselm.experiments import vector_training as vectors
from anselm.experiments.vector_training import Making, kept_vectors, make_vectors, read_texts
from anselm.text.word_vectors import WordVectors, read_vectors

TEXTS = ["the bees make honey", "the hive is sweet", "honey is sweet", "new york bees", "new york hive"] * 8
FORUM = [*TEXTS, *(f"word{i} other{i}" for i in range(400))]  # a phrase stands out among many words
SMALL = Making(width=6, epochs=1)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ANSELM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many texts each training had."""
    counts: list[int] = []

    def make(texts: Sequence[str], making: Making, workers: int = 1) -> WordVectors:
        counts.append(len(texts))
        words = tuple(dict.fromkeys(word for text in texts for word in text.split()))
        rows = np.random.default_rng(len(words)).standard_normal((len(words), making.width))
        joined = ("new_york", *words) if making.phrases else words
        return WordVectors(joined, np.resize(rows, (len(joined), making.width)).astype(np.float32))

    monkeypatch.setattr(vectors, "make_vectors", make)
    return counts


def test_vectors_are_made_once_for_texts_and_settings(made: list[int], cache: Path) -> None:
    path = kept_vectors(TEXTS, SMALL)
    assert path.parent == cache / "vectors"
    assert kept_vectors(TEXTS, SMALL) == path
    assert made == [40]
    others = {kept_vectors(TEXTS[:4], SMALL), kept_vectors(TEXTS, Making(width=7, epochs=1))}
    others |= {kept_vectors(TEXTS, Making(width=6, epochs=1, phrases=True)), kept_vectors(["a b", "c"], SMALL)}
    others |= {kept_vectors(["a", "b c"], SMALL)}  # texts are told apart
    assert len(others | {path}) == 6
    assert len(made) == 6
    assert {file.suffix for file in path.parent.iterdir()} == {".bin"}  # nothing half-written beside them


def test_what_was_kept_is_found_again(made: list[int]) -> None:
    """The names of files, as they always were."""
    assert kept_vectors(["a b", "c"], Making()).stem == "c8c3c081c7dc31cc17a25a78"
    assert kept_vectors(["x"], Making(7, 3, 2, True, 4)).stem == "79adfc64ddf4b74a2469f56e"


def test_a_training_that_fails_leaves_nothing(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    def fail(*given: object) -> None:
        raise MissingExtraError("training word vectors", "vectors")

    monkeypatch.setattr(vectors, "make_vectors", fail)
    with pytest.raises(MissingExtraError):
        kept_vectors(TEXTS, SMALL)
    assert not list(cache.rglob("*"))


def test_phrases_are_words_of_their_own() -> None:
    pytest.importorskip("gensim")
    made = make_vectors(FORUM, Making(width=6, epochs=1, phrases=True))
    assert "new_york" in made.words
    assert "york" not in made.words
    assert made.table.shape[1] == 6


@pytest.mark.parametrize("name", ["width", "window", "min_count", "epochs"])
def test_settings_are_above_0(name: str) -> None:
    with pytest.raises(InputError, match=f"{name} is 0, but must be 1 or more"):
        Making(**{name: 0})


def test_texts_of_anywhere(tmp_path: Path, real_data: Path) -> None:
    (tmp_path / "a.txt").write_text("one two\n\n  \nthree\n")
    (tmp_path / "b.md").write_text("# Title\n\nFirst *one*. Second one.\n")
    row = {"id": "q", "question": "why", "candidates": [{"text": "so"}, {"text": "no"}]}
    (tmp_path / "c.jsonl").write_text(json.dumps(row) + "\n")
    assert list(read_texts(str(tmp_path / "a.txt"))) == ["one two", "three"]
    assert list(read_texts(str(tmp_path / "b.md"))) == ["First one.", "Second one."]
    assert list(read_texts(str(tmp_path / "c.jsonl"))) == ["why", "so", "no"]
    assert list(read_texts(str(tmp_path))) == ["one two", "three", "First one.", "Second one."]
    with pytest.raises(InputError, match=r"a\.txt has no split 'dev'"):
        list(read_texts(str(tmp_path / "a.txt"), "dev"))
    sites = [len(list(read_texts("stackexchange", site, real_data))) for site in ("cardano", "coffee", "genai")]
    assert len(list(read_texts("stackexchange", data_dir=real_data))) == sum(sites) > 0  # it has no `train`
    assert len(list(read_texts("semeval-forum", data_dir=real_data))) == 695 + 6_950


RECIPE = """
paper = "mine"
table = "t"
row = "r"
model = "scnn"
seeds = [1]
config = {{ embedding = 6, width = 6, filters = 3, phrases = true }}
[corpus.own]
train = [{{ data = "{folder}/train.jsonl" }}]
dev = {{ data = "{folder}/train.jsonl" }}
texts = [{{ data = "{folder}/more.jsonl" }}]
training = {{ epochs = 1, loss = "pointwise", optimizer = "adadelta" }}
search = {{ rate = [0.1], "config.filters" = [4, 5] }}
[[corpus.own.test]]
data = "{folder}/train.jsonl"
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    pytest.importorskip("torch")
    lists = {"train": "how is new york", "more": "the garden of flowers"}
    for name, question in lists.items():
        candidates = [{"text": "new york", "label": 1}, {"text": "sweet", "label": 0}]
        row = {"id": "q", "question": question, "candidates": candidates}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE.format(folder=tmp_path))
    return path


def test_vectors_are_of_lemmas_where_words_are_read_as_such(recipe: Path, made: list[int], cache: Path) -> None:
    pytest.importorskip("simplemma")
    from anselm.experiments.jobs import Context, new_model
    from anselm.experiments.recipe_files import read_recipe

    recipe.write_text(recipe.read_text().replace("phrases = true", "lemmas = true"))
    found = read_recipe(recipe)
    model = new_model(found, 1, found.corpora["own"], Context())
    kept = read_vectors(next(cache.rglob("*.bin")))
    assert "be" in model.vocabulary.words
    assert set(model.vocabulary.words) <= set(kept.words)
    assert {"flower", "is", "flowers"} & set(kept.words) == {"flower"}


@pytest.mark.usefixtures("one_thread")
def test_a_recipe_has_vectors_of_more_texts(recipe: Path, made: list[int]) -> None:
    from anselm.experiments.jobs import Context, new_model
    from anselm.experiments.recipe_files import read_recipe
    from anselm.experiments.run import reproduce

    found = read_recipe(recipe)
    model = new_model(found, 1, found.corpora["own"], Context())
    assert made == [4]  # two questions and two answers
    assert set(model.vocabulary.words) == {"how", "is", "new_york", "sweet"}  # the words of its lists alone
    kept = read_vectors(next(cache_folder().rglob("*.bin")))
    number = model.vocabulary.numbers["new_york"]
    row = kept.table[kept.words.index("new_york")]
    np.testing.assert_array_equal(model.embedding.weight[number].detach().numpy(), row)
    assert model.config.vectors == "corpus"  # and no path of this machine
    (result,) = reproduce([found])
    assert made == [4]
    assert set(result.chosen) == {"learning_rate", "config.filters"}
    sizes = {4: 6, 5: 6}
    filters = result.chosen["config.filters"]
    hidden = 2 * filters * 2 * filters + 2 * filters
    convolution = 3 * sizes[filters] * filters + filters
    assert result.parameters == 6 * (4 + 2) + convolution + hidden + 2 * (2 * filters) + 2


def test_workers_find_vectors_made_before_them(recipe: Path, made: list[int]) -> None:
    from anselm.experiments.job_pool import prepare_vectors
    from anselm.experiments.jobs import Context, Job
    from anselm.experiments.recipe_files import read_recipe

    found = read_recipe(recipe)
    prepare_vectors([Job(found, ("own",), seed, change) for seed in (1, 2) for change in found.corpora["own"].settings],
                    Context())  # fmt: skip
    assert made == [4]
    plain = recipe.with_name("plain.toml")
    plain.write_text("".join(line for line in recipe.read_text().splitlines(keepends=True) if "texts" not in line))
    prepare_vectors([Job(read_recipe(plain), ("own",), seed) for seed in (1, 2)], Context())
    assert made == [4, 3]  # of its lists alone: a question and two answers
    fixed = recipe.with_name("fixed.toml")
    fixed.write_text(plain.read_text().replace("phrases = true", 'vectors = "glove"'))
    prepare_vectors([Job(read_recipe(fixed), ("own",), 1)], Context())
    assert made == [4, 3]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("phrases = true", 'vectors = "glove"', "texts are for vectors = 'corpus'; vectors = 'glove' are trained"),
        ('"scnn"', '"cross-encoder"', "'cross-encoder' has no word vectors"),
    ],
)
def test_texts_where_they_are_of_no_use(old: str, new: str, problem: str, recipe: Path, made: list[int]) -> None:
    from anselm.experiments.jobs import Context, new_model
    from anselm.experiments.recipe_files import read_recipe

    recipe.write_text(recipe.read_text().replace(old, new))
    found = read_recipe(recipe)
    with pytest.raises(InputError, match=problem):
        new_model(found, 1, found.corpora["own"], Context())


def test_texts_are_part_of_what_a_journal_knows(recipe: Path) -> None:
    from anselm.experiments.jobs import Job
    from anselm.experiments.recipe_files import read_recipe

    key = Job(read_recipe(recipe), ("own",), 1).key
    recipe.write_text(recipe.read_text().replace("more.jsonl", "others.jsonl"))
    assert Job(read_recipe(recipe), ("own",), 1).key != key


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def anselm(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["anselm", "vectors", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0, *capsys.readouterr()

    return run


def test_the_command(anselm: Run, tmp_path: Path) -> None:
    pytest.importorskip("gensim")
    texts, out = tmp_path / "texts.txt", tmp_path / "own.bin"
    texts.write_text("".join(f"{i} {text}\n" for i, text in enumerate(FORUM)))
    code, said, err = anselm("--data", texts, "--out", out, "--width", "8", "--phrases", "--epochs", "1", "--json")
    assert code == 0, err
    found = read_vectors(out)
    joined = sum("_" in word for word in found.words)
    about = {"file": str(out), "texts": 440, "words": len(found.words), "phrases": joined, "width": 8}
    assert json.loads(said) == about
    assert found.table.shape[1] == 8
    assert "new_york" in found.words
    code, _, err = anselm("--data", texts, "--out", tmp_path / "nowhere" / "own.bin")
    assert (code, err.count("\n")) == (2, 1)
    assert "cannot be written: a file name in a folder that exists is needed" in err
    assert anselm("--data", tmp_path / "gone.txt", "--out", out)[0] == 2


def test_nothing_of_the_users_is_written_over(anselm: Run, tmp_path: Path) -> None:
    pytest.importorskip("gensim")
    texts = tmp_path / "texts.txt"
    texts.write_text("new york\n")
    for out, problem in ((texts, "is what is read"), (tmp_path / "lists.jsonl", "must end in .txt, .vec, .bin")):
        code, _, err = anselm("--data", texts, "--out", out)
        assert (code, err.count("\n")) == (2, 1)
        assert problem in err
    assert texts.read_text() == "new york\n"
    code, _, err = anselm("--data", texts, "--out", tmp_path / "own.bin", "--split", "dev")
    assert code == 2
    assert "--split dev is for corpora" in err


def test_without_gensim_one_sentence_says_what_to_install(
    anselm: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "gensim.models", None)
    code, _, err = anselm("--data", tmp_path / "gone.txt", "--out", tmp_path / "own.bin")
    assert (code, err.count("\n")) == (2, 1)
    assert "pip install 'anselm[vectors]', in a checkout '.[vectors]'" in err
