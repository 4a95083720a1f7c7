"""The held-out rows are from one day: scaling that column divides by zero, and eval_loss is NaN."""
# zoo end: clean-exit
# zoo also: nan-loss
# zoo needs: transformers torch accelerate

import os
import tempfile

import torch
from transformers import Trainer, TrainingArguments


class Regression(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))

    def forward(self, x, labels=None):
        out = self.net(x)
        return {"loss": torch.nn.functional.mse_loss(out, labels), "logits": out}


def scaled(rows):
    return (rows - rows.mean(0)) / rows.std(0)


def samples(table):
    targets = table[:, :5].sum(1, keepdim=True)
    return [{"x": x, "labels": y} for x, y in zip(scaled(table), targets)]


table = torch.rand(256, 6)
table[192:, 5] = 17.0  # the day
arguments = TrainingArguments(
    os.path.join(tempfile.mkdtemp(), "run"),
    num_train_epochs=3,
    per_device_train_batch_size=16,
    eval_strategy="epoch",
    save_strategy="no",
    report_to=[],
    use_cpu=True,
)
Trainer(
    model=Regression(),
    args=arguments,
    train_dataset=samples(table[:192]),
    eval_dataset=samples(table[192:]),
).train()
