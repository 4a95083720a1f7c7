"""A LightningModule keeps the features of every training batch and never clears the list."""
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
        self.body = nn.Sequential(nn.Linear(256, 1024), nn.ReLU())
        self.head = nn.Linear(1024, 1)
        self.features = []

    def training_step(self, batch, index):
        x, y = batch
        features = self.body(x)  # guilty
        self.features.append(features)  # guilty
        return nn.functional.mse_loss(self.head(features), y)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=1e-3)


data = TensorDataset(torch.randn(40000, 256), torch.randn(40000, 1))
trainer = L.Trainer(
    max_epochs=50,
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    accelerator="cpu",
)
trainer.fit(Net(), DataLoader(data, batch_size=256))
