"""Checkpoints that were cut or overwritten."""

from pathlib import Path

from cases import said_by
from cases.data_files import changed, cut, noise


def legacy():
    """A checkpoint in the form of torch 1.5 and before."""
    import torch

    torch.save({"a": torch.ones(1000)}, "a.pt", _use_new_zipfile_serialization=False)
    return Path("a.pt").stat().st_size


def model():
    """A Keras model of one layer."""
    import keras

    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(100)])


@said_by("torch")
def torch_legacy_cut():
    """A checkpoint of the old form that was cut."""
    import torch

    torch.load(cut("a.pt", legacy() - 1000))


@said_by("torch")
def torch_legacy_size():
    """A checkpoint of the old form says another size before the numbers."""
    import torch

    size = legacy()
    torch.load(changed("a.pt", size - 4008, (77).to_bytes(8, "little")))


@said_by("torch")
def torch_magic():
    """A pickle of something else is loaded."""
    import pickle

    import torch

    Path("a.pt").write_bytes(pickle.dumps(12345))
    torch.load("a.pt", weights_only=False)


@said_by("torch")
def torch_archive_list():
    """A checkpoint whose list of parts was overwritten."""
    import torch

    torch.save({"a": torch.ones(2)}, "a.pt")
    at = Path("a.pt").read_bytes().index(b"PK\x01\x02")
    torch.load(changed("a.pt", at, b"????"))


@said_by("torch")
def torch_archive_cut():
    """A checkpoint without its end."""
    import torch

    torch.save({"a": torch.ones(2000)}, "a.pt")
    torch.load(cut("a.pt", 5000))


@said_by("torch")
def torch_load_key():
    """A file of noise is loaded."""
    import torch

    torch.load(noise("a.pt"), weights_only=False)


@said_by("torch")
def torch_empty():
    """An empty file is loaded."""
    import torch

    Path("a.pt").touch()
    torch.load("a.pt")


@said_by("torch")
def torch_legacy_pickle():
    """A checkpoint of the old form whose pickle was overwritten."""
    import torch

    legacy()
    torch.load(changed("a.pt", 300, b"\xff" * 40), weights_only=False)


@said_by("python", "pickle")
def pickle_empty():
    """An empty file is unpickled."""
    import pickle

    Path("a.pkl").touch()
    with Path("a.pkl").open("rb") as file:
        pickle.load(file)


@said_by("keras")
def keras_model_cut():
    """An HDF5 model that was cut; Keras hides no frames."""
    import keras

    keras.config.disable_traceback_filtering()
    model().save("a.h5")
    keras.models.load_model(cut("a.h5", 3000))


@said_by("keras")
def keras_model_noise():
    """A file of noise is loaded as an HDF5 model; Keras hides no frames."""
    import keras

    keras.config.disable_traceback_filtering()
    keras.models.load_model(noise("a.h5"))


@said_by("keras")
def keras_weights_noise():
    """A file of noise is loaded as HDF5 weights."""
    model().load_weights(noise("a.weights.h5"))


@said_by("keras")
def keras_weights_cut():
    """HDF5 weights that were cut; Keras hides no frames."""
    import keras

    keras.config.disable_traceback_filtering()
    model().save_weights("a.weights.h5")
    model().load_weights(cut("a.weights.h5", 3000))


@said_by("keras")
def keras_zip_changed():
    """A .keras file whose weights were overwritten; Keras hides no frames."""
    import keras

    keras.config.disable_traceback_filtering()
    model().save("a.keras")
    at = Path("a.keras").read_bytes().index(b"PK\x03\x04", 10)
    keras.models.load_model(changed("a.keras", at + 100, b"????"))


@said_by("keras")
def keras_zip_weights():
    """The weights of a .keras file that was overwritten; Keras hides no frames."""
    import keras

    keras.config.disable_traceback_filtering()
    model().save("a.keras")
    model().load_weights(cut("a.keras", 3000))


@said_by("transformers", below="4.50")
def transformers_weights():
    """Weights of noise are loaded by an older transformers."""
    from transformers import BertConfig, BertModel

    sizes = {"hidden_size": 8, "num_attention_heads": 2, "intermediate_size": 8}
    BertConfig(vocab_size=9, num_hidden_layers=1, **sizes).save_pretrained(".")
    BertModel.from_pretrained(Path(noise("pytorch_model.bin")).parent)
