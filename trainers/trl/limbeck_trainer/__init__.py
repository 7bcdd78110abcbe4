"""The trainer of language models: speaks the protocol of docs/runs.md "Trainers" on Hugging Face's libraries."""
