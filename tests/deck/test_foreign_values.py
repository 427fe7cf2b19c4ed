"""Tables, arrays, figures and pictures of other libraries: returned untouched, told in a form of use."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tooldeck import Image, Run, Table, calling
from tooldeck.testing import fake_deck

np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")
pytest.importorskip("matplotlib").use("agg")


def given(run, value):
    deck, _ = fake_deck(policy="auto")
    deck.add(lambda: value, name="f", max_chars=2_000)
    result = run(deck, "f")
    assert result.ok, result.error
    assert result.value is value
    return result


def test_a_table_is_a_part_and_its_text_is_rows(run):
    frame = pd.DataFrame({"city": ["Rome", "Kyoto, JP"], "°C": [21.5, None]})
    result = given(run, frame)
    assert result.parts == (Table(("city", "°C"), (("Rome", "21.5"), ("Kyoto, JP", "nan")), 2),)
    assert result.text == 'city,°C\nRome,21.5\n"Kyoto, JP",nan\n[2 rows, 2 columns]'


def test_an_index_that_says_something_is_a_column(run):
    frame = pd.DataFrame({"n": [1, 2]}, index=pd.Index(["a", "b"], name="key"))
    assert given(run, frame).text.startswith("key,n\na,1\n")
    assert given(run, pd.Series([1, 2], index=["a", "b"], name="n")).text.startswith("index,n\na,1\n")


def test_a_long_table_tells_how_long_it_is(run):
    result = given(run, pd.DataFrame({"n": range(5_000)}))
    assert "[5000 rows, 1 columns; the first 100 rows are shown]" in result.text
    assert len(result.parts[0].rows) == 100


@pytest.mark.parametrize("value", [pd.DataFrame(), pd.DataFrame({"a": []}), np.array([])], ids=str)
def test_an_empty_table_or_array_is_a_value_like_any(run, value):
    assert given(run, value).text


def test_arrays_and_numbers_are_json(run):
    assert given(run, np.array([[1, 2], [3, 4]])).text == "[[1,2],[3,4]]"
    assert given(run, np.int64(3)).text == "3"
    assert json.loads(given(run, {"mean": np.float32(0.5), "all": np.arange(3)}).text) == {
        "mean": 0.5,
        "all": [0, 1, 2],
    }
    assert "array of shape (300, 300)" in given(run, np.zeros((300, 300))).text


def test_a_figure_is_a_picture(run):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1, 1))
    axes = figure.subplots()
    for value in (figure, axes):
        (picture,) = given(run, value).parts
        assert picture.data.startswith(b"\x89PNG")


def test_a_picture_is_a_picture_also_among_words(run):
    from PIL import Image as Pillow

    picture = Pillow.new("RGB", (2, 2))
    assert isinstance(given(run, picture).parts[0], Image)
    assert [str(part)[:6] for part in given(run, ["before", picture]).parts] == ["before", "[image"]


def test_tables_that_differ_in_the_middle_are_different_results(run):
    deck, _ = fake_deck(policy="auto")
    step = iter(range(100))

    def f():
        values = np.zeros(5_000)
        values[2_500] = next(step)
        return {"frame": pd.DataFrame({"n": values})}

    deck.add(f)
    with calling(run=Run()):
        assert all(run(deck, "f").ok for _ in range(9))


def test_nothing_is_imported_to_recognise_a_value():
    code = (
        "import sys, tooldeck; deck = tooldeck.Deck(policy='auto'); deck.add(lambda: object(), name='f');"
        "deck.call('f').unwrap();"
        "print([name for name in ('numpy', 'pandas', 'matplotlib', 'PIL') if name in sys.modules])"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert told.stdout.strip() == "[]"
