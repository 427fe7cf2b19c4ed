"""A real llama.cpp server on a model of 300 kB made on the spot: random weights, the 256 bytes as tokens.

Run as a program it prints its address and serves until its input ends. Needs xllamacpp and gguf.
"""

from __future__ import annotations

import sys
from pathlib import Path

WIDTH, HEADS, INNER = 64, 2, 128
TEMPLATE = """{% if tools %}<|system|>
You may call tools: <tools>{% for tool in tools %}{{ tool | tojson }}
{% endfor %}</tools>
{% endif %}{% for m in messages %}<|{{ m.role }}|>
{% if m.content %}{{ m.content }}{% endif %}{% if m.tool_calls %}{% for call in m.tool_calls %}<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}{% endif %}
{% endfor %}{% if add_generation_prompt %}<|assistant|>
{% endif %}"""


def write_model(path: Path) -> None:
    """Write the model."""
    import gguf
    import numpy as np

    kind = gguf.TokenType
    tokens = [b"<unk>", b"<s>", b"</s>", *(f"<0x{byte:02X}>".encode() for byte in range(256))]
    out = gguf.GGUFWriter(path, "llama")
    out.add_context_length(4096)
    out.add_embedding_length(WIDTH)
    out.add_block_count(1)
    out.add_feed_forward_length(INNER)
    out.add_head_count(HEADS)
    out.add_head_count_kv(HEADS)
    out.add_rope_dimension_count(WIDTH // HEADS)
    out.add_layer_norm_rms_eps(1e-5)
    out.add_vocab_size(len(tokens))
    out.add_tokenizer_model("llama")
    out.add_token_list(tokens)
    out.add_token_scores([0.0] * len(tokens))
    out.add_token_types([kind.UNKNOWN, kind.CONTROL, kind.CONTROL, *[kind.BYTE] * 256])
    out.add_bos_token_id(1)
    out.add_eos_token_id(2)
    out.add_unk_token_id(0)
    out.add_add_space_prefix(False)
    out.add_chat_template(TEMPLATE)
    chance = np.random.default_rng(8)
    shapes = {
        "token_embd": (len(tokens), WIDTH),
        "output": (len(tokens), WIDTH),
        **{f"blk.0.attn_{part}": (WIDTH, WIDTH) for part in ("q", "k", "v", "output")},
        "blk.0.ffn_gate": (INNER, WIDTH),
        "blk.0.ffn_up": (INNER, WIDTH),
        "blk.0.ffn_down": (WIDTH, INNER),
    }
    for name, shape in shapes.items():
        out.add_tensor(f"{name}.weight", (chance.standard_normal(shape) * 0.2).astype(np.float32))
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        out.add_tensor(f"{name}.weight", np.ones(WIDTH, np.float32))
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


def main(path: str) -> None:
    """Serve the model."""
    import xllamacpp

    write_model(Path(path))
    settings = xllamacpp.CommonParams()
    settings.model.path = path
    settings.port = 0
    settings.n_ctx = 4096
    settings.n_parallel = 1
    settings.use_jinja = True
    settings.warmup = False
    settings.cpuparams.n_threads = 1
    server = xllamacpp.Server(settings)
    print(f"address {server.listening_address}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
