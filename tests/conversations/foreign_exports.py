"""Small exports of other programs, written by hand from public knowledge of their forms in 2026.

None is a real person's; a program that changed its form since needs a fixture of its own.
"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def chatgpt_node(id: str, parent: str | None, children: list[str], message: Json | None) -> Json:
    return {"id": id, "parent": parent, "children": children, "message": message}


def chatgpt_message(role: str, *parts: Any, **more: Any) -> Json:
    content = more.pop("content", {"content_type": "text", "parts": list(parts)})
    metadata = more.pop("metadata", {})
    return {
        "author": {"role": role, "name": None, "metadata": {}},
        "content": content,
        "create_time": 1732275549.599,
        "status": "finished_successfully",
        "recipient": "all",
        "metadata": metadata,
        **more,
    }


def chatgpt_export() -> list[Json]:
    thoughts = {
        "content_type": "thoughts",
        "thoughts": [{"summary": "Think", "content": "Let me see."}],
    }
    call = {"content_type": "code", "language": "python", "text": "print(1)"}
    image = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-1"}
    hidden = {"is_visually_hidden_from_conversation": True}
    model = {"model_slug": "gpt-4o"}
    mapping = {
        "root": chatgpt_node("root", None, ["sys"], None),
        "sys": chatgpt_node("sys", "root", ["ask"], chatgpt_message("system", "", metadata=hidden)),
        "ask": chatgpt_node(
            "ask", "sys", ["think", "other"], chatgpt_message("user", "Which lens?", image)
        ),
        "think": chatgpt_node(
            "think", "ask", ["run"], chatgpt_message("assistant", content=thoughts)
        ),
        "run": chatgpt_node(
            "run",
            "think",
            ["out"],
            chatgpt_message("assistant", content=call, recipient="python", metadata=model),
        ),
        "out": chatgpt_node(
            "out",
            "run",
            ["reply"],
            chatgpt_message("tool", content={"content_type": "execution_output", "text": "1"}),
        ),
        "reply": chatgpt_node(
            "reply", "out", [], chatgpt_message("assistant", "A fast one.", metadata=model)
        ),
        "other": chatgpt_node(
            "other", "ask", [], chatgpt_message("assistant", "A slow one.", metadata=model)
        ),
    }
    return [
        {
            "title": "Lenses",
            "create_time": 1732275540.0,
            "update_time": 1732275560.5,
            "mapping": mapping,
            "current_node": "reply",
            "conversation_id": "6740b0f1-aaaa-8000-bbbb-000000000001",
            "default_model_slug": "gpt-4o",
            "is_archived": False,
            "is_starred": True,
        },
        {"title": "Empty", "create_time": 1.0, "mapping": {}, "conversation_id": "x"},
    ]


def claude_export() -> list[Json]:
    def message(uuid: str, sender: str, text: str, **more: Any) -> Json:
        return {
            "uuid": uuid,
            "sender": sender,
            "text": text,
            "content": [{"type": "text", "text": text}],
            "created_at": "2026-03-01T10:00:00.123456Z",
            "updated_at": "2026-03-01T10:00:00.123456Z",
            "attachments": [],
            "files": [],
            **more,
        }

    thinking = [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "bread"}},
        {"type": "text", "text": "Use rye."},
    ]
    pasted = {
        "file_name": "recipe.txt",
        "file_type": "txt",
        "file_size": 9,
        "extracted_content": "Rye 500 g",
    }
    return [
        {
            "uuid": "c0ffee00-0000-4000-8000-000000000001",
            "name": "Bread",
            "created_at": "2026-03-01T09:59:00+00:00",
            "updated_at": "2026-03-01T10:05:00+00:00",
            "account": {"uuid": "a"},
            "chat_messages": [
                message("m1", "human", "Which flour?", attachments=[pasted]),
                message("m2", "assistant", "Use rye.", content=thinking),
                message("m3", "human", "Thanks"),
            ],
        }
    ]


def lm_studio_export() -> Json:
    def user(text: str) -> Json:
        return {"type": "singleStep", "role": "user", "content": [{"type": "text", "text": text}]}

    def answer(text: str, thinking: str = "") -> Json:
        made = {
            "indexedModelIdentifier": "qwen/qwen3-4b",
            "stats": {
                "tokensPerSecond": 51.5,
                "timeToFirstTokenSec": 0.2,
                "promptTokensCount": 12,
                "predictedTokensCount": 7,
                "stopReason": "userStopped",
            },
        }
        steps = [
            {
                "type": "contentBlock",
                "style": {"type": "thinking", "ended": True, "title": "Thought"},
                "content": [{"type": "text", "text": thinking}],
            },
            {"type": "contentBlock", "content": [{"type": "text", "text": text}], "genInfo": made},
            {"type": "debugInfoBlock", "debugInfo": "x"},
        ]
        return {
            "type": "multiStep",
            "role": "assistant",
            "senderInfo": {"senderName": "qwen3"},
            "steps": steps,
        }

    return {
        "name": "Tents",
        "pinned": True,
        "createdAt": 1750000000000,
        "userLastMessagedAt": 1750000300000,
        "systemPrompt": "Be short.",
        "messages": [
            {"versions": [user("Which tent?")], "currentlySelected": 0},
            {"versions": [answer("Big.", "Hm."), answer("Small.")], "currentlySelected": 1},
            {"versions": [user("Why?")], "currentlySelected": 0},
        ],
        "lastUsedModel": {"identifier": "qwen/qwen3-4b"},
    }
