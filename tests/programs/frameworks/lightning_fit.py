"""Three epochs of four batches under Lightning, by the name that is given, and validations."""

import importlib
import logging
import sys
import tempfile
import warnings

import torch

lightning = importlib.import_module(sys.argv[1])
logging.getLogger(sys.argv[1]).setLevel(logging.ERROR)
warnings.filterwarnings("ignore")


class Model(lightning.LightningModule):
    measure = "val_loss"

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, _):
        return self.layer(batch[0]).mean()

    def validation_step(self, batch, _):
        self.log("val_mae", self.layer(batch[0]).abs().mean())
        self.log(self.measure, self.layer(batch[0]).mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def batches(count):
    data = torch.utils.data.TensorDataset(torch.ones(8 * count, 4))
    return torch.utils.data.DataLoader(data, batch_size=8)


with tempfile.TemporaryDirectory() as folder:
    trainer = lightning.Trainer(
        max_epochs=3,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=folder,
    )
    model = Model()
    trainer.fit(model, batches(4), batches(2))
    model.measure = "loss_of_a_model_that_is_not_being_trained"
    trainer.validate(model, batches(2), verbose=False)
