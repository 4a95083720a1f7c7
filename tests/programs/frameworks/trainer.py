"""Three epochs of four batches under the Trainer of transformers, with two sets to validate on."""

import tempfile

import torch
import transformers


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def forward(self, x, labels=None):
        out = self.layer(x)
        return {"loss": (out - labels).pow(2).mean(), "logits": out}


def rows(count):
    return [{"x": torch.ones(4), "labels": torch.zeros(1)} for _ in range(count)]


with tempfile.TemporaryDirectory() as folder:
    arguments = transformers.TrainingArguments(
        folder,
        num_train_epochs=3,
        per_device_train_batch_size=8,
        eval_strategy="epoch",
        report_to=[],
        save_strategy="no",
        disable_tqdm=True,
        use_cpu=True,
    )
    sets = {"near": rows(8), "far": rows(16)}
    trainer = transformers.Trainer(
        model=Model(), args=arguments, train_dataset=rows(32), eval_dataset=sets
    )
    trainer.train()
    untrained = transformers.Trainer(model=Model(), args=arguments, eval_dataset=rows(8))
    untrained.evaluate(metric_key_prefix="eval_untrained")
