"""Three epochs of four batches under the Trainer of transformers."""

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


data = [{"x": torch.ones(4), "labels": torch.zeros(1)} for _ in range(32)]
with tempfile.TemporaryDirectory() as folder:
    arguments = transformers.TrainingArguments(
        folder,
        num_train_epochs=3,
        per_device_train_batch_size=8,
        report_to=[],
        save_strategy="no",
        disable_tqdm=True,
        use_cpu=True,
    )
    transformers.Trainer(model=Model(), args=arguments, train_dataset=data).train()
