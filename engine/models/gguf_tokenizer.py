"""The tokenizer inside a GGUF file: byte-level BPE (`tokenizer.ggml.model` = `gpt2`)."""

from collections.abc import Mapping

from engine.errors import ModelUnavailable
from engine.models.gguf_header import Value
from engine.models.tokenizer_files import PRE_TOKENIZERS, ByteLevelTokenizer

NORMAL, CONTROL, USER_DEFINED, UNUSED = 1, 3, 4, 5
# GGUF names one end token; models also stop at these when they are control tokens.
END_TEXTS = frozenset(
    {"<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "</s>"}
)


def read_tokenizer(metadata: Mapping[str, Value]) -> ByteLevelTokenizer:
    """Take the tokenizer out of GGUF metadata; raises ModelUnavailable if it is not faithful."""
    _refuse_other_tokenizers(metadata)
    tokens = _texts(metadata, "tokenizer.ggml.tokens")
    kinds = metadata.get("tokenizer.ggml.token_type", (NORMAL,) * len(tokens))
    if not isinstance(kinds, tuple) or len(kinds) != len(tokens):
        raise ModelUnavailable("The GGUF file does not give one token type for each token.")
    for number, kind in enumerate(kinds):
        if kind not in {NORMAL, CONTROL, USER_DEFINED, UNUSED}:
            raise ModelUnavailable(
                f"The token {tokens[number]!r} of the GGUF file has the type {kind}, "
                "which byte-level BPE cannot reproduce."
            )
    control_ids = tuple(number for number, kind in enumerate(kinds) if kind == CONTROL)
    named_ids = _named_ids(metadata, len(tokens))
    template = metadata.get("tokenizer.chat_template")
    return ByteLevelTokenizer(
        pre_tokenizer=str(metadata["tokenizer.ggml.pre"]),
        tokens=tokens,
        merges=_merges(metadata, tokens),
        control_ids=control_ids,
        user_defined_ids=tuple(n for n, kind in enumerate(kinds) if kind == USER_DEFINED),
        named_ids=named_ids,
        end_ids=_end_ids(named_ids, control_ids, tokens),
        chat_template=template if isinstance(template, str) else None,
    )


def _refuse_other_tokenizers(metadata: Mapping[str, Value]) -> None:
    model = metadata.get("tokenizer.ggml.model")
    if model != "gpt2":
        raise ModelUnavailable(
            f"The GGUF file's tokenizer is of the kind {model!r}; "
            "only byte-level BPE ('gpt2') can be imported."
        )
    pre_tokenizer = metadata.get("tokenizer.ggml.pre")
    if pre_tokenizer not in PRE_TOKENIZERS:
        raise ModelUnavailable(
            f"The GGUF file's tokenizer cuts text by the rules {pre_tokenizer!r}; "
            f"only {' and '.join(map(repr, PRE_TOKENIZERS))} are known."
        )
    for name in ("add_bos_token", "add_eos_token", "add_space_prefix"):
        if metadata.get(f"tokenizer.ggml.{name}", False):
            raise ModelUnavailable(
                f"The GGUF file sets 'tokenizer.ggml.{name}', which the import cannot reproduce."
            )


def _texts(metadata: Mapping[str, Value], key: str) -> tuple[str, ...]:
    values = metadata.get(key)
    if not isinstance(values, tuple) or not values:
        raise ModelUnavailable(f"The GGUF file has no list {key!r}.")
    texts = tuple(value for value in values if isinstance(value, str))
    if len(texts) != len(values):
        raise ModelUnavailable(f"The list {key!r} of the GGUF file holds more than texts.")
    if len(set(texts)) != len(texts):
        raise ModelUnavailable(f"The list {key!r} of the GGUF file holds a text twice.")
    return texts


def _merges(metadata: Mapping[str, Value], tokens: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    known = set(tokens)
    merges: list[tuple[str, str]] = []
    for text in _texts(metadata, "tokenizer.ggml.merges"):
        left, _, right = text.partition(" ")
        if not {left, right, left + right} <= known:
            raise ModelUnavailable(
                f"The merge {text!r} of the GGUF file joins texts that are no tokens."
            )
        merges.append((left, right))
    return tuple(merges)


def _named_ids(metadata: Mapping[str, Value], token_count: int) -> dict[str, int]:
    named: dict[str, int] = {}
    for name, key in {"bos": "bos", "eos": "eos", "unk": "unknown", "pad": "padding"}.items():
        number = metadata.get(f"tokenizer.ggml.{key}_token_id")
        if number is None:
            continue
        if not isinstance(number, int) or not 0 <= number < token_count:
            raise ModelUnavailable(
                f"The GGUF file sets 'tokenizer.ggml.{key}_token_id' to {number!r}, "
                f"but has {token_count} tokens."
            )
        named[name] = number
    if "eos" not in named:
        raise ModelUnavailable("The GGUF file does not say which token ends an answer.")
    return named


def _end_ids(
    named_ids: Mapping[str, int], control_ids: tuple[int, ...], tokens: tuple[str, ...]
) -> tuple[int, ...]:
    others = (n for n in control_ids if tokens[n] in END_TEXTS and n != named_ids["eos"])
    return (named_ids["eos"], *others)
