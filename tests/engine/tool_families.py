"""The formats of tool calls, each with a call of `look(page, limit)` as its family writes it."""

from __future__ import annotations

from dataclasses import dataclass

from tests.engine.dialects import CHATML, Family
from tests.engine.span_families import GEMMA4, HARMONY, KIMI3, MUSE, QWEN, SEED, TOOL_CALL, TOOLS


@dataclass(frozen=True)
class Writing:
    """`call` has the arguments page="a b" and limit=3, `other` none, `cut` lacks its last end."""

    family: Family
    format: str
    call: str
    other: str
    cut: str


def _family(name: str, sign: str, *tokens: str) -> Family:
    return Family(name, tokens, f"{TOOLS}{CHATML}{{# {sign} #}}")


_LONGCAT = ("<longcat_tool_call>", "</longcat_tool_call>")
_SECTION = ("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>")
_KIMI2 = (*_SECTION, "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>")
_MINIMAX = ("<minimax:tool_call>", "</minimax:tool_call>")
_LFM = ("<|tool_call_start|>", "<|tool_call_end|>")
_DEEPSEEK = (
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁sep｜>",
    "<｜tool▁call▁end｜>",
    "<｜tool▁calls▁end｜>",
)
_ESCAPED = "<escape>a b<escape>"

LLAMA3 = _family("llama3", '"parameters"', "<|start_header_id|>", "<|python_tag|>")

WRITINGS = (
    Writing(
        QWEN,
        "json_tools",
        '<tool_call>\n{"name": "look", "arguments": {"page": "a b", "limit": 3}}\n</tool_call>',
        '<tool_call>{"name": "list", "arguments": {}}</tool_call>',
        '<tool_call>{"name": "look", "arguments": {"page": "a b", "limit": 3}</tool_call>',
    ),
    Writing(
        _family("qwen3-coder", "<tool_call>\n<function=", *TOOL_CALL),
        "qwen3_coder",
        "<tool_call>\n<function=look>\n<parameter=page>\na b\n</parameter>\n<parameter=limit>\n3\n"
        "</parameter>\n</function>\n</tool_call>",
        "<tool_call>\n<function=list>\n</function>\n</tool_call>",
        "<tool_call>\n<function=look>\n<parameter=page>\na b\n</parameter>\n<parameter=limit>\n3\n"
        "</tool_call>",
    ),
    Writing(
        _family("glm", "<arg_key>", *TOOL_CALL, "<arg_key>", "</arg_key>"),
        "glm47",
        "<tool_call>look<arg_key>page</arg_key><arg_value>a b</arg_value><arg_key>limit</arg_key>"
        "<arg_value>3</arg_value></tool_call>",
        "<tool_call>list</tool_call>",
        "<tool_call>look<arg_key>page</arg_key><arg_value>a b</arg_value><arg_key>limit</arg_key>"
        "<arg_value>3</tool_call>",
    ),
    Writing(
        _family("longcat", "<longcat_tool_call>", *_LONGCAT),
        "longcat",
        "<longcat_tool_call>look<longcat_arg_key>page</longcat_arg_key><longcat_arg_value>a b"
        "</longcat_arg_value><longcat_arg_key>limit</longcat_arg_key><longcat_arg_value>3"
        "</longcat_arg_value></longcat_tool_call>",
        '<longcat_tool_call>{"name": "list", "arguments": {}}</longcat_tool_call>',
        "<longcat_tool_call>look<longcat_arg_key>page</longcat_arg_key><longcat_arg_value>a b"
        "</longcat_arg_value><longcat_arg_key>limit</longcat_arg_key><longcat_arg_value>3"
        "</longcat_tool_call>",
    ),
    Writing(
        _family("kimi-k2", "<|tool_calls_section_begin|>", *_KIMI2),
        "kimi_k2",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.look:0"
        '<|tool_call_argument_begin|>{"page": "a b", "limit": 3}<|tool_call_end|>'
        "<|tool_calls_section_end|>",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.list:1"
        "<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.look:0"
        '<|tool_call_argument_begin|>{"page": "a b", "limit": 3<|tool_call_end|>'
        "<|tool_calls_section_end|>",
    ),
    Writing(
        KIMI3,
        "kimi_k3",
        '<|open|>tools<|sep|><|open|>call tool="look" index="1"<|sep|>'
        '<|open|>argument key="page" type="string"<|sep|>a b<|close|>argument<|sep|>'
        '<|open|>argument key="limit" type="integer"<|sep|>3<|close|>argument<|sep|>'
        "<|close|>call<|sep|><|close|>tools<|sep|>",
        '<|open|>tools<|sep|><|open|>call tool="list"<|sep|><|close|>call<|sep|>'
        "<|close|>tools<|sep|>",
        '<|open|>tools<|sep|><|open|>call tool="look"<|sep|>'
        '<|open|>argument key="page" type="string"<|sep|>a b<|close|>argument<|sep|>'
        '<|open|>argument key="limit" type="integer"<|sep|>3<|close|>tools<|sep|>',
    ),
    Writing(
        _family("minimax", "<minimax:tool_call>", *_MINIMAX),
        "minimax_m2",
        '<minimax:tool_call>\n<invoke name="look">\n<parameter name="page">a b</parameter>\n'
        '<parameter name="limit">3</parameter>\n</invoke>\n</minimax:tool_call>',
        '<minimax:tool_call><invoke name="list"></invoke></minimax:tool_call>',
        '<minimax:tool_call><invoke name="look"><parameter name="page">a b</parameter>'
        '<parameter name="limit">3</minimax:tool_call>',
    ),
    Writing(
        _family("minicpm5", '<function name="x"><param name="y">'),
        "minicpm5",
        '<function name="look"><param name="page">a b</param><param name="limit">3</param>'
        "</function>",
        '<function name="list"></function>',
        '<function name="look"><param name="page">a b</param><param name="limit">3</function>',
    ),
    Writing(
        _family("mistral", "[TOOL_CALLS]", "[TOOL_CALLS]", "[ARGS]"),
        "mistral",
        '[TOOL_CALLS]look[ARGS]{"page": "a b", "limit": 3}',
        '[TOOL_CALLS][{"name": "list", "arguments": {}}]',
        '[TOOL_CALLS]look[ARGS]{"page": "a b", "limit": 3',
    ),
    Writing(
        MUSE,
        "muse_spark",
        'to=look<|message|><atem:function_calls>\n<atem:invoke name="look">'
        '<atem:parameter name="page">a b</atem:parameter>'
        '<atem:parameter name="limit">3</atem:parameter></atem:invoke></atem:function_calls>',
        'to=list<|message|><atem:function_calls><atem:invoke name="list"></atem:invoke>'
        "</atem:function_calls>",
        'to=look<|message|><atem:function_calls><atem:invoke name="look">'
        '<atem:parameter name="page">a b</atem:parameter><atem:parameter name="limit">3'
        "</atem:function_calls>",
    ),
    Writing(
        _family("lfm", "<|tool_list_start|>", *_LFM),
        "pythonic",
        "<|tool_call_start|>[look(page='a b', limit=3)]<|tool_call_end|>",
        "<|tool_call_start|>[list()]<|tool_call_end|>",
        "<|tool_call_start|>[look(page='a b', limit=3)<|tool_call_end|>",
    ),
    Writing(
        GEMMA4,
        "gemma4",
        '<|tool_call>call:look{page:<|"|>a b<|"|>,limit:3}<tool_call|>',
        "<|tool_call>call:list{}<tool_call|>",
        '<|tool_call>call:look{page:<|"|>a b<|"|>,limit:3<tool_call|>',
    ),
    Writing(
        _family("function-gemma", "<start_function_call>", "<start_function_call>", "<escape>"),
        "function_gemma",
        f"<start_function_call>call:look{{page:{_ESCAPED},limit:3}}<end_function_call>",
        "<start_function_call>call:list{}<end_function_call>",
        f"<start_function_call>call:look{{page:{_ESCAPED},limit:3<end_function_call>",
    ),
    Writing(
        HARMONY,
        "harmony",
        "<|channel|>commentary to=functions.look <|constrain|>json<|message|>"
        '{"page": "a b", "limit": 3}<|call|>',
        "<|start|>assistant<|channel|>commentary to=functions.list<|message|>{}<|call|>",
        '<|channel|>commentary to=functions.look<|message|>{"page": "a b", "limit": 3<|call|>',
    ),
    Writing(
        _family("deepseek-v3", "<｜tool▁calls▁begin｜>", *_DEEPSEEK),
        "deepseek",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>look\n```json\n"
        '{"page": "a b", "limit": 3}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>list<｜tool▁sep｜>{}<｜tool▁call▁end｜>"
        "<｜tool▁calls▁end｜>",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>look<｜tool▁sep｜>"
        '{"page": "a b", "limit": 3<｜tool▁calls▁end｜>',
    ),
    Writing(
        Family("deepseek-v3.2", ("｜DSML｜",), ""),
        "deepseek_v32",
        '<｜DSML｜function_calls>\n<｜DSML｜invoke name="look">\n'
        '<｜DSML｜parameter name="page" string="true">a b</｜DSML｜parameter>\n'
        '<｜DSML｜parameter name="limit" string="false">3</｜DSML｜parameter>\n'
        "</｜DSML｜invoke>\n</｜DSML｜function_calls>",
        '<｜DSML｜function_calls><｜DSML｜invoke name="list"></｜DSML｜invoke>'
        "</｜DSML｜function_calls>",
        '<｜DSML｜function_calls><｜DSML｜invoke name="look">'
        '<｜DSML｜parameter name="page" string="true">a b</｜DSML｜parameter>'
        '<｜DSML｜parameter name="limit" string="false">3</｜DSML｜function_calls>',
    ),
    Writing(
        SEED,
        "seed_oss",
        "<seed:tool_call>\n<function=look>\n<parameter=page>a b</parameter>\n"
        "<parameter=limit>3</parameter>\n</function>\n</seed:tool_call>",
        "<seed:tool_call><function=list></function></seed:tool_call>",
        "<seed:tool_call><function=look><parameter=page>a b</parameter><parameter=limit>3"
        "</seed:tool_call>",
    ),
    Writing(
        _family("phi4", "<|tool_call|>", "<|tool_call|>", "<|/tool_call|>"),
        "phi4",
        '<|tool_call|>[{"name": "look", "arguments": {"page": "a b", "limit": 3}}]<|/tool_call|>',
        '<|tool_call|>[{"name": "list", "arguments": {}}]<|/tool_call|>',
        '<|tool_call|>[{"name": "look", "arguments": {"page": "a b", "limit": 3}<|/tool_call|>',
    ),
    Writing(
        _family("command-a", "<|START_ACTION|>", "<|START_ACTION|>", "<|END_ACTION|>"),
        "cohere",
        '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "look", "parameters": '
        '{"page": "a b", "limit": 3}}]<|END_ACTION|>',
        '<|START_ACTION|>[{"tool_name": "list", "parameters": {}}]<|END_ACTION|>',
        '<|START_ACTION|>[{"tool_name": "look", "parameters": {"page": "a b", "limit": 3}'
        "<|END_ACTION|>",
    ),
    Writing(
        _family("hermes", "<tool_call>", *TOOL_CALL),
        "hermes",
        '<tool_call>{"name": "look", "arguments": {"page": "a b", "limit": 3}}</tool_call>',
        '<tool_call>{"name": "list"}</tool_call>',
        '<tool_call>{"name": "look", "arguments": {"page": "a b", "limit": 3}</tool_call>',
    ),
    Writing(
        LLAMA3,
        "llama3",
        '{"name": "look", "parameters": {"page": "a b", "limit": 3}}',
        '{"name": "list", "parameters": {}}',
        '{"name": "look", "parameters": {"page": "a b", "limit": 3}',
    ),
)
