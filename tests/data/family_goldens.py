# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights of a tiny checkpoint, and what Hugging Face makes of it: see make_families.py."""

import torch
from safetensors.torch import save_file

from hf_capture import attention_of, capture, decoder_layers, first_of, greedy
from make_tiny import CONTROL, VOCAB

KEPT = ("scores", "pattern", "lse", "z", "attention_out", "mlp_out", "residual")


def randomize(model, seed, spread):
    """Every weight and bias normal with the given spread, every norm's weight uneven."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in sorted(model.named_parameters()):
            norm = ("norm" in name or "ln_" in name) and name.endswith("weight")
            if norm:
                low, high = (0.6, 3.0) if "q_norm" in name or "k_norm" in name else (0.4, 2.2)
                value = low + (high - low) * torch.rand(weight.shape, generator=generator)
            else:
                value = torch.randn(weight.shape, generator=generator) * spread
            weight.copy_(value.bfloat16().float())
    return model.eval()


def writes(model, full):
    """What heads write, in float64 from the golden z: contribution of the last row, its length and
    the attribution of each row's top logit for all rows. An attribution goes through the norm
    behind attention, if any, and the final norm, both frozen."""
    out = {}
    offset = 1.0 if type(model).__name__.startswith("Gemma") else 0.0
    final = first_of(model.base_model, "norm", "final_layer_norm", "ln_f")
    centred = isinstance(final, torch.nn.LayerNorm)
    last = decoder_layers(model)[-1]
    stream = full[f"layers.{len(decoder_layers(model)) - 1}.residual"].double()
    eps = first_of(final, "variance_epsilon", "eps")

    def scale(x):
        x = x - x.mean(-1, keepdim=True) if centred else x
        return (x.pow(2).mean(-1) + eps).rsqrt()

    u = model.get_output_embeddings().weight.double()[full["logits"].argmax(-1)]
    u = u * (offset + final.weight.double())
    if centred:
        u = u - u.mean(-1, keepdim=True)
    behind = hasattr(last, "post_feedforward_layernorm")
    for index, layer in enumerate(decoder_layers(model)):
        name = f"layers.{index}."
        output = first_of(attention_of(layer), "o_proj", "dense", "c_proj")
        weight = output.weight.double()
        weight = weight.T if type(output).__name__ == "Conv1D" else weight
        z = full[name + "z"].double()
        heads = weight.unflatten(1, z.shape[1:])
        parts = torch.einsum("thd,mhd->thm", z, heads)
        out[name + "contribution"] = parts[-1:]
        out[name + "contribution_norm"] = parts.norm(dim=-1)
        if behind:
            norm = layer.post_attention_layernorm.weight.double() + offset
            parts = parts * norm * scale(full[name + "attention_out"].double())[:, None, None]
        direct = torch.einsum("thm,tm->th", parts, u) * scale(stream)[:, None]
        out[name + "logit_attribution"] = direct
    return {name: tensor.detach().float().contiguous() for name, tensor in out.items()}


def goldens(model, folder, prompt_length, steps):
    """Of the first seed whose greedy choices fp32's noise cannot decide."""
    for seed in range(50):
        generator = torch.Generator().manual_seed(seed)
        prompt = torch.randint(
            len(CONTROL), VOCAB, (prompt_length,), generator=generator
        ).tolist()
        third = prompt_length // 3
        prompt[-third:] = prompt[:third]  # what was seen before, so that some heads look back
        try:
            ids = greedy(model, prompt, steps)
            break
        except AssertionError as close:
            print(f"{folder.name}: seed {seed}: {close}")
    full = capture(model, ids[:-1])
    kept = {
        name: tensor
        for name, tensor in full.items()
        if "." not in name or name.rsplit(".", 1)[1] in KEPT
    }
    kept |= writes(model, full)
    kept |= {"token_ids": torch.tensor(ids), "prompt_length": torch.tensor([len(prompt)])}
    save_file(kept, folder / "goldens.safetensors")
    last = torch.cat([tensor[:, -1] for name, tensor in full.items() if name.endswith(".pattern")])
    entropy = -(last * last.clamp_min(1e-30).log()).sum(-1).mean()
    score = max(
        tensor.nan_to_num(neginf=0).abs().max().item()
        for name, tensor in full.items()
        if name.endswith(".scores")
    )
    print(
        f"{folder.name}: largest |score| {score:.1f}, last rows: largest probability "
        f"{last.max():.3f}, mean entropy {entropy:.2f}"
    )
