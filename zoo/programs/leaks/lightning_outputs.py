"""A LightningModule keeps every training output and never clears the list."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 1500M
# zoo needs: lightning

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 1))
        self.outputs = []

    def training_step(self, batch, index):
        x, y = batch
        out = self.layers(x)  # guilty
        loss = nn.functional.mse_loss(out, y)
        self.outputs.append({"out": out, "loss": loss})  # guilty
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=1e-3)


data = TensorDataset(torch.randn(40000, 256), torch.randn(40000, 1))
trainer = L.Trainer(
    max_epochs=50, logger=False, enable_checkpointing=False, enable_progress_bar=False,
    enable_model_summary=False, accelerator="cpu",
)
trainer.fit(Net(), DataLoader(data, batch_size=256))
