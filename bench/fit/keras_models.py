"""The Keras models of the tables in docs/fit.md, on the chosen backend."""

from collections.abc import Callable
from typing import Any

import keras
from keras import layers


def _application(name: str) -> Callable[[], Any]:
    return lambda: getattr(keras.applications, name)(weights=None)


def _transformer() -> Any:
    tokens = keras.Input((256,), dtype="int32")
    x = layers.Embedding(8000, 512)(tokens)
    for _ in range(6):
        attended = layers.MultiHeadAttention(8, 64)(x, x)
        x = layers.LayerNormalization()(layers.Add()([x, attended]))
        wide = layers.Dense(2048, activation="gelu")(x)
        x = layers.LayerNormalization()(layers.Add()([x, layers.Dense(512)(wide)]))
    x = layers.Dropout(0.1)(layers.GlobalAveragePooling1D()(x))
    return keras.Model(tokens, layers.Dense(1000)(x))


def _lstm() -> Any:
    return keras.Sequential(
        [
            keras.Input((128, 256)),
            layers.LSTM(512, return_sequences=True),
            layers.LSTM(512),
            layers.Dense(1000),
        ]
    )


def _mlp() -> Any:
    wide = [layers.Dense(4096, activation="relu") for _ in range(4)]
    return keras.Sequential([keras.Input((1024,)), *wide, layers.Dense(1000)])


def _unet() -> Any:
    image = keras.Input((128, 128, 3))
    x, skipped = image, []
    for channels in (64, 128, 256):
        for _ in range(2):
            x = layers.Conv2D(channels, 3, padding="same")(x)
            x = layers.ReLU()(layers.BatchNormalization()(x))
        skipped.append(x)
        x = layers.MaxPooling2D()(x)
    for channels, skip in zip((256, 128, 64), reversed(skipped), strict=True):
        x = layers.Conv2DTranspose(channels, 2, strides=2)(x)
        x = layers.Concatenate()([x, skip])
        for _ in range(2):
            x = layers.Conv2D(channels, 3, padding="same", activation="relu")(x)
    return keras.Model(image, layers.Conv2D(8, 1)(x))


# Each with two batches.
MODELS: dict[str, tuple[Callable[[], Any], tuple[int, int]]] = {
    "MobileNetV2": (_application("MobileNetV2"), (8, 32)),
    "ResNet50": (_application("ResNet50"), (8, 32)),
    "EfficientNetB0": (_application("EfficientNetB0"), (8, 32)),
    "DenseNet121": (_application("DenseNet121"), (8, 32)),
    "ConvNeXtTiny": (_application("ConvNeXtTiny"), (8, 32)),
    "transformer": (_transformer, (8, 64)),
    "lstm": (_lstm, (16, 128)),
    "mlp": (_mlp, (256, 4096)),
    "unet": (_unet, (8, 32)),
}
POLICIES = ("float32", "mixed_float16")


def build(name: str, policy: str) -> Any:
    """The compiled model."""
    keras.config.set_dtype_policy(policy)
    model = MODELS[name][0]()
    loss = keras.losses.SparseCategoricalCrossentropy(
        from_logits=getattr(model.layers[-1], "activation", None) is not keras.activations.softmax
    )
    model.compile(optimizer="adam", loss=loss)
    return model
