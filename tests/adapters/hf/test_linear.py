"""Linear layers by oneDNN: where they are taken, and that they say the same to rounding."""

from __future__ import annotations

import pytest
import torch

from biascore_adapters.hf.linear import _OneDnn, fast_linear

CPU = torch.device("cpu")


@pytest.mark.parametrize("shape", [(1, 5, 48), (3, 48), (48,), (0, 48)])
@pytest.mark.parametrize("bias", [True, False])
def test_products_are_those_of_double_precision(shape: tuple[int, ...], bias: bool) -> None:
    torch.manual_seed(1)
    layer, states = torch.nn.Linear(48, 31, bias), torch.randn(shape)
    exact = torch.nn.functional.linear(
        states.double(), layer.weight.double(), layer.bias.double() if bias else None
    )
    with torch.inference_mode(), _OneDnn():
        found = layer(states)
    assert found.dtype == torch.float32
    torch.testing.assert_close(found.double(), exact.detach(), rtol=1e-5, atol=1e-5)


def test_products_of_slices_and_transposed_weights() -> None:
    torch.manual_seed(2)
    states, weight = torch.randn(6, 9, 96)[::2, 1:8, ::2], torch.randn(48, 31).T
    with torch.inference_mode(), _OneDnn():
        found = torch.nn.functional.linear(states, weight)
    torch.testing.assert_close(found.double(), states.double() @ weight.double().T, rtol=1e-5, atol=1e-4)


def test_what_has_gradients_or_other_types_stays_with_torch() -> None:
    layer, states = torch.nn.Linear(4, 3), torch.randn(2, 4)
    with _OneDnn():
        layer(states).sum().backward()
    assert layer.weight.grad is not None
    half = layer.bfloat16()
    with torch.inference_mode(), _OneDnn():
        assert torch.equal(
            half(states.bfloat16()), torch.nn.functional.linear(states.bfloat16(), half.weight, half.bias)
        )


@pytest.mark.parametrize(
    ("device", "dtype", "capability", "faster"),
    [
        ("cpu", torch.float32, "AVX512", True),
        ("cpu", torch.float32, "AVX2", False),
        ("cpu", torch.bfloat16, "AVX512", False),
        ("cuda", torch.float32, "AVX512", False),
    ],
)
def test_it_is_taken_where_it_is_faster(
    device: str, dtype: torch.dtype, capability: str, faster: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: True)
    assert isinstance(fast_linear(torch.device(device), dtype), _OneDnn) == faster
