# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a Hugging Face model once in fp32 and keeps what each layer's attention was given and gave.

Nothing is recomputed where the model states it: q, k, v, pattern and z are taken from the call of
its own eager attention, so the numbers are Hugging Face's. Only scores and lse, which it does not
return, are formed here, in fp64, from those q and k and from the mask, the cap and the sinks that
the call was given.
"""

import importlib
import math

import torch


def first_of(owner, *names):
    """The first of these attributes that the model class has."""
    return next(getattr(owner, name) for name in names if hasattr(owner, name))


def decoder_layers(model):
    return first_of(model.base_model, "layers", "h")


def attention_of(layer):
    return first_of(layer, "self_attn", "attention", "attn")


def hook_projections(attn, keep):
    """keep(tensor [T, q | k | v]) once a forward pass, whether the model projects three times or
    once. Returns the hooks."""
    if hasattr(attn, "q_proj"):
        parts = {}

        def projected(part):
            def hook(_module, _inputs, output):
                parts[part] = output[0]
                if len(parts) == 3:
                    keep(torch.cat([parts["q"], parts["k"], parts["v"]], dim=-1))

            return hook

        return [
            getattr(attn, part + "_proj").register_forward_hook(projected(part)) for part in "qkv"
        ]

    def fused(_module, _inputs, output):
        if hasattr(attn, "query_key_value"):  # head after head, each with its q, k and v
            heads = output[0].unflatten(-1, (-1, 3, attn.head_size))
            keep(heads.transpose(1, 2).flatten(1))
        else:
            keep(output[0])

    return [first_of(attn, "qkv_proj", "query_key_value", "c_attn").register_forward_hook(fused)]


def capture(model, ids):
    """One forward pass over ids (a list of ints). Returns a dict of tensors named as
    `headscope dump` names them, with T = len(ids) rows. float32, but lse and scores are
    rounded from float64.
    """
    module = importlib.import_module(type(model).__module__)
    eager = module.eager_attention_forward
    out, hooks, layer_of = {}, [], {}

    def attention(attn, query, key, value, mask, scaling=None, **kwargs):
        z, pattern = eager(attn, query, key, value, mask, scaling=scaling, **kwargs)
        name = f"layers.{layer_of[attn]}."
        out[name + "q"] = query[0].transpose(0, 1)
        out[name + "k"] = key[0].transpose(0, 1)
        out[name + "v"] = value[0].transpose(0, 1)
        out[name + "z"] = z[0]
        out[name + "pattern"] = pattern[0]
        keys = key[0].double().repeat_interleave(query.shape[1] // key.shape[1], dim=0)
        scores = query[0].double() @ keys.transpose(1, 2) * scaling
        cap = kwargs.get("softcap")
        if cap is not None:
            scores = cap * torch.tanh(scores / cap)
        hidden = torch.ones(scores.shape[1:], dtype=torch.bool).triu(1)
        if mask is not None:
            hidden = mask[0, 0] < -1e4
        scores = scores.masked_fill(hidden, -math.inf)
        lse = torch.logsumexp(scores, dim=-1)
        if getattr(attn, "sinks", None) is not None:
            lse = torch.logaddexp(lse, attn.sinks.double()[:, None])
        out[name + "scores"], out[name + "lse"] = scores.float(), lse.float()
        worst = ((scores - lse[..., None]).exp() - pattern[0]).abs().max().item()
        assert worst < 2e-5, f"{name}pattern is {worst} off exp(scores - lse)"
        return z, pattern

    def keep(name):
        def hook(_module, _inputs, output):
            out[name] = (output[0] if isinstance(output, tuple) else output)[0]

        return hook

    layers = decoder_layers(model)
    for index, layer in enumerate(layers):
        attn, name = attention_of(layer), f"layers.{index}."
        layer_of[attn] = index
        hooks += hook_projections(attn, lambda value, name=name: out.update({name + "qkv": value}))
        output = first_of(attn, "o_proj", "dense", "c_proj")
        hooks.append(output.register_forward_hook(keep(name + "attention_out")))
        hooks.append(layer.mlp.register_forward_hook(keep(name + "mlp_out")))
        hooks.append(layer.register_forward_hook(keep(name + "residual")))

    def enters(_module, args, kwargs):
        out["embedding"] = (args[0] if args else kwargs["hidden_states"])[0]

    hooks.append(layers[0].register_forward_pre_hook(enters, with_kwargs=True))

    module.eager_attention_forward = attention
    try:
        with torch.no_grad():
            out["logits"] = model(torch.tensor([ids]), use_cache=False).logits[0]
    finally:
        module.eager_attention_forward = eager
        for hook in hooks:
            hook.remove()
    assert (
        f"layers.{len(layers) - 1}.pattern" in out
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
