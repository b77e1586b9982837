"""What the model gets of a chat."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.protocol import Role
from tests.exchanges import Exchange
from tui.assistant.chat_messages import model_messages
from vault.conversations.values import EPOCH, MessageNode, State

Turn = tuple[Role, str]


def sent(exchanges: list[Exchange], question: str, system: str = "") -> list[Turn]:
    path: list[MessageNode] = []
    for turn in exchanges:
        path.append(MessageNode("q", "", "user", turn.question, EPOCH))
        path.append(
            MessageNode("a", "", "assistant", turn.answer, EPOCH, turn.state, turn.thinking)
        )
    path.append(MessageNode("q", "", "user", question, EPOCH))
    return [(turn.role, turn.content) for turn in model_messages(path, system)]


@pytest.mark.parametrize(
    ("exchanges", "turns"),
    [
        ([], [("user", "now")]),
        (
            [Exchange("a", "b")],
            [("user", "a"), ("assistant", "b"), ("user", "now")],
        ),
        ([Exchange("a", "", "", "stopped")], [("user", "now")]),
        (
            [Exchange("a"), Exchange("b", "", "only thought", "failed"), Exchange("c", "d")],
            [("user", "c"), ("assistant", "d"), ("user", "now")],
        ),
        (
            [Exchange("a", "half", "", "stopped")],
            [("user", "a"), ("assistant", "half"), ("user", "now")],
        ),
        (
            [Exchange("a", "b", "let me see")],
            [("user", "a"), ("assistant", "b"), ("user", "now")],
        ),
    ],
    ids=["new", "answered", "unanswered", "several unanswered", "partial", "thinking"],
)
def test_turns(exchanges: list[Exchange], turns: list[Turn]) -> None:
    assert sent(exchanges, "now") == turns
    assert sent(exchanges, "now", "Be kind.") == [("system", "Be kind."), *turns]


_STATES: tuple[State, ...] = ("complete", "cut", "stopped", "failed", "interrupted")
_EXCHANGES = st.lists(
    st.builds(
        Exchange,
        st.text(min_size=1),
        st.one_of(st.just(""), st.text(min_size=1)),
        st.text(),
        st.sampled_from(_STATES),
    ),
    max_size=8,
)


@given(_EXCHANGES, st.text(min_size=1), st.text())
def test_turns_take_turns_and_every_answer_keeps_its_question(
    exchanges: list[Exchange], question: str, system: str
) -> None:
    turns = sent(exchanges, question, system)
    roles = [role for role, _ in turns if role != "system"]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
    asked = [content for role, content in turns if role == "user"]
    assert asked == [*(turn.question for turn in exchanges if turn.answer), question]
    answers = [content for role, content in turns if role == "assistant"]
    assert answers == [turn.answer for turn in exchanges if turn.answer]
