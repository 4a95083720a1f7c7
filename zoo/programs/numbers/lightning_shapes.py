"""A head with the wrong number of inputs, found by the sanity check of Lightning."""
# zoo end: shape-mismatch
# zoo needs: lightning

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(32, 64)
        self.head = nn.Linear(32, 2)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))  # guilty

    def training_step(self, batch, _):
        x, y = batch
        return nn.functional.cross_entropy(self(x), y)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


data = TensorDataset(torch.randn(64, 32), torch.randint(0, 2, (64,)))
L.Trainer(max_epochs=1, logger=False, enable_checkpointing=False, accelerator="cpu").fit(
    Net(), DataLoader(data, batch_size=8)
)
