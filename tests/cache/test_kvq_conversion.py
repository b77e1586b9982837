"""Caches as the policy makes them: same numbers as quantizing by hand, converted layer by layer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mlx_lm import utils as mlx_lm_utils
from mlx_lm.generate import BatchGenerator
from mlx_lm.models import cache as mlx_caches

from engine.plan.kv_scheme import Quantization, uniform_scheme
from engine.worker.cache.attention_patch import install_attention
from engine.worker.cache.conversion import convert_all, convert_due, make_caches
from engine.worker.cache.errors import CacheError
from engine.worker.cache.policy import CachePolicy, LayerPolicy, decide
from engine.worker.cache.twins import has_twin
from tui.bench.families import FAMILIES

KVCache: Any = mlx_caches.KVCache
RotatingKVCache: Any = mlx_caches.RotatingKVCache
MIB = 1 << 20
VOCABULARY = 300
EIGHT = Quantization(8)
Config = Mapping[str, Any]


def small(name: str) -> Config:
    """The family with a vocabulary that costs nothing."""
    config: dict[str, Any] = dict(FAMILIES[name])
    config["vocab_size"] = VOCABULARY
    if "text_config" in config:
        text = {**config["text_config"], "vocab_size": VOCABULARY}
        if "vocab_size_per_layer_input" in text:
            text["vocab_size_per_layer_input"] = VOCABULARY
        config["text_config"] = text
    return config


CONFIGS = {
    "full": small("llama"),
    "full and sliding": small("gemma3-small-window"),
    "shared": small("gemma3n"),
    "recurrent and full": small("qwen3.5"),
}


@pytest.fixture(autouse=True)
def patch() -> Iterator[None]:
    """Every model attends through our function."""
    installed = install_attention("openblas")
    yield
    installed.undo()


@pytest.fixture(scope="module", params=sorted(CONFIGS))
def built(request: pytest.FixtureRequest) -> tuple[Config, Any]:
    config = CONFIGS[request.param]
    mx.random.seed(11)
    find: Any = mlx_lm_utils._get_classes
    model_class, arguments = find(dict(config))
    model = model_class(arguments.from_dict(dict(config)))
    mx.eval(model.parameters())
    return config, model


def round_trip(array: mx.array, scheme: Quantization) -> mx.array:
    kinds: Any = {"group_size": scheme.group_size, "bits": scheme.bits}
    return mx.dequantize(*mx.quantize(array, **kinds), **kinds)


def number(array: mx.array) -> float:
    """The only element."""
    return float(np.array(array))


def rounding(plain: Any, scheme: Quantization) -> Any:
    """A plain cache of mlx-lm's that stores what quantized keys and values stand for."""
    kind: Any = type(plain)

    class Rounding(kind):  # type: ignore[misc]  # the class is known at run time only
        def update_and_fetch(self, keys: mx.array, values: mx.array) -> Any:
            return super().update_and_fetch(round_trip(keys, scheme), round_trip(values, scheme))

    plain.__class__ = Rounding
    return plain


def greedy(logits: mx.array) -> int:
    """The token after the last one fed."""
    return int(number(mx.argmax(logits[0, -1])))


def run(model: Any, caches: list[Any], chunks: Sequence[Sequence[int]]) -> mx.array:
    """Logits of every token fed."""
    logits = [model(mx.array([list(chunk)]), cache=caches) for chunk in chunks]
    return mx.concatenate(logits, axis=1)


@pytest.mark.sampled(2)
def test_a_model_computes_with_what_its_quantized_caches_stand_for(
    built: tuple[Config, Any],
) -> None:
    """Prefill beyond the window, single tokens through the ring, and a few tokens at once."""
    config, model = built
    policy = decide(model, config, uniform_scheme(4))
    tokens = np.random.default_rng(3).integers(0, VOCABULARY, 150).tolist()
    chunks = [tokens[:70], tokens[70:130], *[[token] for token in tokens[130:144]], tokens[144:]]
    ours = run(model, make_caches(model, policy), chunks)
    plain: list[Any] = mlx_caches.make_prompt_cache(model)
    theirs = run(
        model,
        [
            rounding(cache, layer.stored) if layer.stored else cache
            for cache, layer in zip(plain, policy.layers, strict=True)
        ],
        chunks,
    )
    assert policy.quantized_count
    scale = mx.abs(theirs).max()
    assert number(mx.abs(ours - theirs).max() / scale) < 1e-3


def test_a_batch_generator_answers_the_same_from_quantized_rows(
    built: tuple[Config, Any],
) -> None:
    """Greedy tokens of one row equal those of a plain loop over caches of the same policy."""
    config, model = built
    policy = decide(model, config, uniform_scheme(8))
    prompt = np.random.default_rng(5).integers(0, VOCABULARY, 90).tolist()
    caches = make_caches(model, policy)
    token = greedy(run(model, caches, [prompt[:-1], prompt[-1:]]))
    expected = [token]
    for _ in range(5):
        token = greedy(run(model, caches, [[token]]))
        expected.append(token)
    generator: Any = BatchGenerator(
        model, completion_batch_size=1, prefill_batch_size=1, prefill_step_size=64
    )
    generator.insert([prompt], max_tokens=[6], caches=[make_caches(model, policy)])
    found: list[int] = []
    for _ in range(12):
        found += [response.token for response in generator.next()[1]]
    generator.close()
    assert found == expected


def filled(cache: Any, tokens: int, heads: int = 2, size: int = 64, one_by_one: int = 0) -> Any:
    """The cache with random content, the last `one_by_one` tokens fed singly."""
    random = np.random.default_rng(tokens)
    content = mx.array(random.normal(size=(2, 1, heads, tokens, size)).astype(np.float32))
    first = tokens - one_by_one
    if first:
        cache.update_and_fetch(*content[..., :first, :])
    for index in range(first, tokens):
        cache.update_and_fetch(*content[..., index : index + 1, :])
    mx.eval(cache.keys, cache.values)
    return cache


def policy_for(count: int, start: int = 0, bits: int = 8) -> CachePolicy:
    return CachePolicy(
        tuple(LayerPolicy(index, Quantization(bits)) for index in range(count)), start
    )


@settings(deadline=None, max_examples=40)
@given(
    st.sampled_from([KVCache, lambda: RotatingKVCache(24), lambda: RotatingKVCache(24, keep=4)]),
    st.integers(1, 60),
    st.integers(0, 40),
    st.integers(0, 3),
    st.sampled_from([4, 8]),
)
def test_conversion_keeps_every_live_token(
    make: Callable[[], Any], tokens: int, singles: int, trimmed: int, bits: int
) -> None:
    plain = filled(make(), tokens, one_by_one=min(singles, tokens))
    if plain.is_trimmable() and trimmed < tokens:
        plain.trim(trimmed)
    expected = [round_trip(part, Quantization(bits)) for part in plain.keys_and_values()]
    offset = plain.offset
    caches = [plain]
    assert convert_due(caches, policy_for(1, bits=bits)) == 1
    assert caches[0].offset == offset
    for (packed, scales, biases), part in zip(caches[0].keys_and_values(), expected, strict=True):
        found = mx.dequantize(packed, scales, biases, group_size=64, bits=bits)
        assert mx.array_equal(found, part)
    assert convert_due(caches, policy_for(1, bits=bits)) == 0


@pytest.mark.parametrize(
    ("tokens", "start", "is_due"),
    [(1, 0, True), (99, 100, False), (100, 100, True), (300, 100, True)],
)
def test_layers_are_converted_once_they_hold_enough(tokens: int, start: int, is_due: bool) -> None:
    caches = [filled(KVCache(), tokens), filled(RotatingKVCache(512), tokens)]
    assert convert_due(caches, policy_for(2, start)) == (2 if is_due else 0)
    assert [has_twin(cache) for cache in caches] == [not is_due] * 2
    assert convert_all(caches, policy_for(2, start)) == (0 if is_due else 2)


def test_empty_caches_wait() -> None:
    caches = [KVCache(), filled(KVCache(), 8), KVCache()]
    assert convert_due(caches, policy_for(3)) == 1
    assert [has_twin(cache) for cache in caches] == [True, False, True]


def test_layers_the_policy_leaves_plain_stay_plain() -> None:
    caches = [filled(KVCache(), 8), filled(KVCache(), 8)]
    policy = CachePolicy((LayerPolicy(0, None), LayerPolicy(1, EIGHT)))
    assert convert_due(caches, policy) == 1
    assert [has_twin(cache) for cache in caches] == [True, False]


def test_each_plain_layer_is_freed_before_the_next_is_quantized() -> None:
    count = 12
    plain = 2 * 2 * 1024 * 64 * 4
    mx.clear_cache()
    base = mx.get_active_memory()
    caches = [filled(KVCache(), 1024) for _ in range(count)]
    mx.clear_cache()
    before = mx.get_active_memory() - base
    assert before == count * plain
    mx.reset_peak_memory()
    convert_due(caches, policy_for(count))
    quantized = sum(cache.nbytes for cache in caches)
    assert quantized < 0.3 * before
    assert mx.get_active_memory() - base == quantized
    # Were all plain layers alive to the end, the peak would be `before + quantized`.
    assert mx.get_peak_memory() - base < before + 3 * quantized / count


def test_a_layer_that_fails_leaves_a_list_that_works() -> None:
    caches = [filled(KVCache(), 8), filled(KVCache(), 8, size=80), filled(KVCache(), 8)]
    with pytest.raises(ValueError, match="divisible"):
        convert_due(caches, policy_for(3))
    assert [has_twin(cache) for cache in caches] == [False, True, True]
    for cache, size in zip(caches, (64, 80, 64), strict=True):
        cache.update_and_fetch(*mx.zeros((2, 1, 2, 1, size)))
        assert cache.offset == 9


def test_a_policy_of_another_model_is_refused() -> None:
    with pytest.raises(CacheError, match="3 caches and this one has 2"):
        convert_due([KVCache(), KVCache()], policy_for(3))


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("window", [None, 32])
def test_a_batch_between_two_steps_is_converted_as_its_rows_are(
    rows: int, window: int | None
) -> None:
    def make() -> Any:
        return RotatingKVCache(window) if window else KVCache()

    lengths = [40, 7, 21][:rows]
    batch = make().merge([filled(make(), tokens, one_by_one=1) for tokens in lengths])
    step = mx.ones((2, rows, 2, 1, 64))
    batch.update_and_fetch(*step)
    alone = [batch.extract(row) for row in range(rows)]
    caches = [batch]
    assert convert_due(caches, policy_for(1, start=41)) == 1
    convert_all(alone, policy_for(rows))
    caches[0].update_and_fetch(*step)
    assert caches[0].offset.tolist() == [tokens + 2 for tokens in lengths]
    for row, cache in enumerate(alone):
        cache.update_and_fetch(*step[:, :1])
        found, wanted = caches[0].extract(row).live_rows(), cache.live_rows()
        for ours, theirs in zip(found.arrays, wanted.arrays, strict=True):
            assert mx.array_equal(ours, theirs)


def test_a_waiting_policy_starts_plain_and_continues_quantized(built: tuple[Config, Any]) -> None:
    config, model = built
    policy = decide(model, config, uniform_scheme(8), start_tokens=64)
    caches = make_caches(model, policy)
    tokens = np.random.default_rng(9).integers(0, VOCABULARY, 100).tolist()
    plain: list[Any] = mlx_caches.make_prompt_cache(model)
    expected = run(model, plain, [tokens[:50], tokens[50:80], tokens[80:81]])
    first = run(model, caches, [tokens[:50]])
    assert convert_due(caches, policy) == 0
    second = run(model, caches, [tokens[50:80]])
    assert mx.array_equal(mx.concatenate([first, second], axis=1), expected[:, :80])
    assert convert_due(caches, policy) == policy.quantized_count
    last = run(model, caches, [tokens[80:81]])
    difference = mx.abs(last - expected[:, 80:]).max() / mx.abs(expected).max()
    assert 0 < number(difference) < 0.1
