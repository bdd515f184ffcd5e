# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a Hugging Face model once in fp32 and keeps what each layer's attention was given and gave.

Nothing is recomputed where the model states it: q, k, v, pattern and z are taken from the call of
its own eager attention, so the numbers are Hugging Face's. Only scores and lse, which it does not
return, are formed here, in fp64, from those q and k.
"""

import importlib
import math

import torch


def capture(model, ids):
    """One forward pass over ids (a list of ints). Returns a dict of tensors named as
    `headscope dump` names them, with T = len(ids) rows. float32, but lse and scores are
    rounded from float64.
    """
    module = importlib.import_module(type(model).__module__)
    eager = module.eager_attention_forward
    out, hooks, layer_of = {}, [], {}

    def attention(attn, query, key, value, mask, scaling, **kwargs):
        z, pattern = eager(attn, query, key, value, mask, scaling, **kwargs)
        name = f"layers.{layer_of[attn]}."
        out[name + "q"] = query[0].transpose(0, 1)
        out[name + "k"] = key[0].transpose(0, 1)
        out[name + "v"] = value[0].transpose(0, 1)
        out[name + "z"] = z[0]
        out[name + "pattern"] = pattern[0]
        keys = key[0].double().repeat_interleave(query.shape[1] // key.shape[1], dim=0)
        scores = query[0].double() @ keys.transpose(1, 2) * scaling
        future = torch.ones(scores.shape[1:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(future, -math.inf)
        lse = torch.logsumexp(scores, dim=-1)
        out[name + "scores"], out[name + "lse"] = scores.float(), lse.float()
        worst = ((scores - lse[..., None]).exp() - pattern[0]).abs().max().item()
        assert worst < 2e-5, f"{name}pattern is {worst} off exp(scores - lse)"
        return z, pattern

    def keep(name, of=lambda value: value[0]):
        def hook(_module, _inputs, output):
            out[name] = of(output)

        return hook

    for index, layer in enumerate(model.model.layers):
        attn, name = layer.self_attn, f"layers.{index}."
        layer_of[attn] = index
        parts = {}
        for part in ("q", "k", "v"):

            def projected(_module, _inputs, output, part=part, parts=parts, name=name):
                parts[part] = output[0]
                if len(parts) == 3:
                    out[name + "qkv"] = torch.cat([parts["q"], parts["k"], parts["v"]], dim=-1)

            hooks.append(getattr(attn, part + "_proj").register_forward_hook(projected))
        hooks.append(attn.o_proj.register_forward_hook(keep(name + "attention_out")))
        hooks.append(layer.mlp.register_forward_hook(keep(name + "mlp_out")))
        hooks.append(
            layer.register_forward_hook(
                keep(
                    name + "residual",
                    lambda value: (value[0] if isinstance(value, tuple) else value)[0],
                )
            )
        )
    hooks.append(model.model.embed_tokens.register_forward_hook(keep("embedding")))

    module.eager_attention_forward = attention
    try:
        with torch.no_grad():
            out["logits"] = model(torch.tensor([ids]), use_cache=False).logits[0]
    finally:
        module.eager_attention_forward = eager
        for hook in hooks:
            hook.remove()
    assert (
        f"layers.{len(model.model.layers) - 1}.pattern" in out
    ), "the model did not use its eager attention"
    return {name: tensor.detach().float().contiguous() for name, tensor in out.items()}


def greedy(model, prompt, count):
    """Appends count tokens, each the argmax of the newest row. Refuses a run in which the noise of
    fp32 could decide."""
    ids = list(prompt)
    cache, feed = None, ids
    with torch.no_grad():
        for _ in range(count):
            answer = model(torch.tensor([feed]), cache=cache, use_cache=True)
            cache = answer.past_key_values
            top = answer.logits[0, -1].topk(2)
            margin = (top.values[0] - top.values[1]).item()
            choice = top.indices.tolist()
            assert margin > 1e-2, f"after {len(ids)} tokens {choice} are only {margin} apart"
            ids.append(top.indices[0].item())
            feed = ids[-1:]
    return ids
