"""Documents of strangers: what is no document, and what would never end."""

import pytest

from tooldeck.guards.documents import modest, read_json, read_yaml

LAUGHS = "a0: &a0 [ha, ha, ha, ha]\n" + "".join(
    f"a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 10)}]\n" for number in range(1, 12)
)
MERGES = "a0: &a0 {b: c}\n" + "".join(
    f"a{number}: &a{number} {{<<: [{', '.join([f'*a{number - 1}'] * 10)}]}}\n" for number in range(1, 12)
)


def test_what_yaml_has_and_json_does_not_is_text():
    assert read_yaml("1: 2020-01-01\nnull: [true, 1.5]\n") == {"1": "2020-01-01", "None": [True, 1.5]}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param(LAUGHS, "its aliases repeat themselves beyond measure", id="laughs"),
        ("a: &a [*a]", "it contains itself"),
        pytest.param("[" * 10_000, "it is nested too deeply", id="brackets"),
        pytest.param("- " * 1_000, "it is nested too deeply", id="lists"),
        ("a: !!int b", "invalid literal"),
        ("a: !!python/object:os.system {}", "line 1: could not determine a constructor"),
        ("a: [\nb", "line 2: "),
        pytest.param("\x00", "special characters are not allowed", id="null"),
    ],
)
def test_a_yaml_text_that_cannot_be_walked_through_is_refused(text, why):
    with pytest.raises(ValueError, match=why) as caught:
        read_yaml(text)
    assert "\n" not in str(caught.value)


def test_merges_of_merges_end_soon_and_the_last_word_is_kept():
    assert read_yaml(MERGES)["a11"] == {"b": "c"}
    assert read_yaml("a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\n")["b"] == {"x": 1, "y": 3}


def test_json_is_refused_where_it_is_nested_too_deeply():
    assert read_json('{"a": [1]}') == {"a": [1]}
    for text in ("[" * 100_000, "[" * 200 + "]" * 200):
        with pytest.raises(ValueError, match="nested too deeply"):
            read_json(text)


def test_data_that_contains_itself_is_refused():
    data: dict[str, object] = {}
    data["a"] = [data]
    with pytest.raises(ValueError, match="contains itself"):
        modest(data)
