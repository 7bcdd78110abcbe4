"""A tiny Llama with random weights and a freshly trained tokenizer: for tests and examples without downloads.

`python -m limbeck_trainer.tiny FOLDER TEXTS` writes one, with the vocabulary of a file of texts.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}"
    "{% for call in message.tool_calls or [] %}<tool_call>{{ call.function | tojson }}</tool_call>{% endfor %}"
    "<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def tokenizer_of(texts: Iterable[str], vocabulary: int = 2_000) -> PreTrainedTokenizerFast:
    """Byte pieces, so that every text can be encoded."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    made.decoder = decoders.ByteLevel()
    special = ["<|pad|>", "<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=vocabulary, special_tokens=special, initial_alphabet=alphabet, show_progress=False)
    made.train_from_iterator(texts, trainer)
    found = PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<|pad|>", eos_token="<|im_end|>")
    found.chat_template = CHAT_TEMPLATE
    return found


def write(
    folder: Path, tokenizer: PreTrainedTokenizerFast, *, layers: int = 2, width: int = 64, vocabulary: int | None = None
) -> None:
    """Writes model and tokenizer as a base model of MODELS_DIR; `vocabulary`: more words than the tokenizer has."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=vocabulary or len(tokenizer),
        hidden_size=width,
        intermediate_size=4 * width,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=1_024,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def make(folder: Path, texts: Iterable[str]) -> None:
    """A base model with a vocabulary of its own; the same texts give the same model."""
    write(folder, tokenizer_of(texts))


if __name__ == "__main__":
    make(Path(sys.argv[1]), Path(sys.argv[2]).read_text(encoding="utf-8").splitlines())
