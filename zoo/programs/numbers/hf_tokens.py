"""Token ids beyond the embedding of a small transformer."""
# zoo end: bad-label
# zoo needs: transformers torch

import torch
from transformers import BertConfig, BertForSequenceClassification

config = BertConfig(vocab_size=100, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64)
model = BertForSequenceClassification(config)
tokens = torch.randint(0, 120, (4, 64))
print(model(input_ids=tokens, labels=torch.zeros(4, dtype=torch.long)).loss)  # guilty
