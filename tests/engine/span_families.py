"""The families whose tags are known, each with a snippet of the kind of template it has."""

from __future__ import annotations

from tests.engine.dialects import CHATML, Family

THINK = ("<think>", "</think>")
TOOL_CALL = ("<tool_call>", "</tool_call>")
OPENING = CHATML.replace("assistant\n{% endif %}", "assistant\n<think>\n{% endif %}")
TOOLS = "{% if tools %}{{ tools | tojson }}{% endif %}"

QWEN = Family("qwen", (*THINK, *TOOL_CALL), TOOLS + CHATML + "{# <tool_call> tool_call.name #}")
OPENED = Family("opened", THINK, OPENING)
LONGCAT = Family("longcat", ("<longcat_think>", "</longcat_think>"))
NEMO = Family("think-start", ("<|think:start|>", "<|think:end|>"))
GEMMA4 = Family(
    "gemma4",
    ("<|channel>", "<channel|>", "<|tool_call>", "<tool_call|>", '<|"|>'),
    TOOLS + CHATML + "{# <|tool_call> <tool_call|> #}",
)
KIMI3 = Family(
    "kimi-k3",
    ("<|open|>", "<|close|>", "<|sep|>", "<|end_of_msg|>"),
    TOOLS + CHATML,
)
SEED = Family("seed-oss", ("<seed:think>", "</seed:think>"), TOOLS + CHATML + "<seed:tool_call>")
MAGISTRAL = Family("magistral", ("[THINK]", "[/THINK]"))
COMMAND = Family(
    "command-a",
    ("<|START_THINKING|>", "<|END_THINKING|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>"),
)
SPELLED = Family("spelled", (), CHATML + "{# <think> </think> #}")
HARMONY = Family(
    "gpt-oss",
    ("<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|call|>", "<|constrain|>"),
    TOOLS + "{% for m in messages %}<|start|>{{ m.role }}<|message|>{{ m.content }}<|end|>"
    "{% endfor %}{% if add_generation_prompt %}<|start|>assistant{% endif %}",
)
MUSE = Family(
    "muse-spark",
    ("<|start|>", "<|message|>", "<|eom|>", "<|eot|>"),
    "{% if add_generation_prompt %}<|start|>assistant {% endif %}<atem:function_calls>",
    settings=(
        (
            "response_format",
            {
                "initial_state": "header",
                "transitions": {
                    "header": [
                        ("to=self<|message|>", "reasoning"),
                        ("to=user<|message|>", "normal"),
                        ("<atem:function_calls>", "tool"),
                    ],
                    "reasoning": [("<|eom|>", "header")],
                    "normal": [("<|eom|>", "header"), ("<|eot|>", "normal")],
                },
            },
        ),
    ),
)
PLAIN = Family("plain", ())
