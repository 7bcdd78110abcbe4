"""The trainer of language models: speaks the protocol of docs/trainers.md "Trainers" on Hugging Face's libraries."""
