"""One held-out row divides zero by zero: Lightning's val_loss is NaN, training itself is fine."""
# zoo end: clean-exit
# zoo also: nan-loss
# zoo needs: lightning

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class Rates(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(6, 1)

    def training_step(self, batch, _):
        x, y = batch
        return torch.nn.functional.mse_loss(self.net(x), y)

    def validation_step(self, batch, _):
        x, y = batch
        self.log("val_loss", torch.nn.functional.mse_loss(self.net(x), y))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


def table(rows, empty=None):
    clicks, shown = torch.rand(rows, 6), torch.rand(rows, 6) + 1
    if empty is not None:
        clicks[empty] = shown[empty] = 0
    rates = clicks / shown
    return TensorDataset(rates, rates.nan_to_num().sum(1, keepdim=True))


L.Trainer(max_epochs=3, logger=False, enable_checkpointing=False, accelerator="cpu").fit(
    Rates(), DataLoader(table(256), batch_size=16), DataLoader(table(64, empty=41), batch_size=16)
)
