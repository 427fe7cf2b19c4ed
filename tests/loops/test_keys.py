"""A key that is asked for: typed unseen, kept in memory, and refused where somebody could see it."""

from __future__ import annotations

import getpass
import pickle

import pytest

from tooldeck import SetupError
from tooldeck.loops import openai_chat


def test_a_key_is_typed_where_the_environment_has_none(monkeypatch):
    prompts = []
    monkeypatch.setattr(getpass, "getpass", lambda prompt: prompts.append(prompt) or "k-typed-1234\n")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    model = openai_chat("m", api_key="ask")
    assert prompts == ["Key for m (kept in memory only): "]
    assert model._key.value == "k-typed-1234"
    assert "typed-1234" not in f"{model!r} {vars(model)!r}"
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(model._key)
    monkeypatch.setenv("OPENAI_API_KEY", "k-environment")
    assert openai_chat("m", api_key="ask")._key.value == "k-environment"
    assert len(prompts) == 1


@pytest.mark.parametrize("fault", [EOFError(), getpass.GetPassWarning("seen"), NotImplementedError()])
def test_where_nobody_can_type_unseen_the_way_out_is_told(monkeypatch, fault):
    def fails(prompt):
        raise fault

    monkeypatch.setattr(getpass, "getpass", fails)
    with pytest.raises(SetupError, match="set it in the environment"):
        openai_chat("m", base_url="http://localhost:1/v1", api_key="ask")
