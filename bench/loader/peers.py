"""Loaders in a container of interpreter + budget + 64 MiB: who is killed there.

usage: peers.py PEER DATA [--imports]     one pass, or with --imports only what it imports
All read the same JPEG files (tar shards if they need them) as float32 of 224 x 224 in batches of
64, 37 MiB each, for a program that takes a moment for each batch. Each peer is written as in its
own documentation, with its own defaults.
"""

import importlib
import json
import sys
import time
from pathlib import Path

BUDGET = 128 << 20
BATCH = 64
STEP = 0.3
PASSES = 1
PEERS = {
    "Loader": ["holdfast.loader"],
    "DataLoader, 2 workers": ["torch.utils.data", "torchvision.datasets"],
    "DataLoader, 8 workers": ["torch.utils.data", "torchvision.datasets"],
    "tf.data": ["tensorflow"],
    "WebDataset, 2 workers": ["webdataset", "torchvision.transforms"],
    "HF datasets, 2 workers": ["datasets", "torch.utils.data", "torchvision.transforms"],
    "SPDL": ["spdl.io", "spdl.pipeline", "torch"],
    "Grain": ["grain", "PIL.Image"],
    "Ray Data": ["ray.data"],
}


def resident():
    """Without pages of libraries' files: under a limit the kernel only reads those again."""
    text = Path("/proc/self/status").read_text()
    return sum(int(text.split(f"{name}:")[1].split()[0]) << 10 for name in ("RssAnon", "RssShmem"))


def files_of(data):
    return sorted(str(path) for path in Path(data, "jpeg").rglob("*.jpg")) * PASSES


def changes():
    from torchvision import transforms

    return transforms.Compose([transforms.Resize((224, 224)), transforms.ToTensor()])


def loader(data):
    from holdfast import Loader

    options = {"budget": BUDGET, "batch": BATCH, "size": 224, "dtype": "float32", "layout": "CHW"}
    with Loader(files_of(data), as_="numpy", **options) as batches:
        yield from batches


def dataloader(data, workers):
    from torch.utils.data import ConcatDataset, DataLoader
    from torchvision.datasets import ImageFolder

    folder = ConcatDataset([ImageFolder(f"{data}/jpeg", changes())] * PASSES)
    for images, _ in DataLoader(folder, batch_size=BATCH, shuffle=True, num_workers=workers):
        yield images


def tf_data(data):
    import tensorflow as tf

    def image(path):
        picture = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
        return tf.image.resize(picture, (224, 224)) / 255.0

    files = tf.data.Dataset.from_tensor_slices(files_of(data)).shuffle(1000)
    batches = files.map(image, num_parallel_calls=tf.data.AUTOTUNE).batch(BATCH)
    yield from batches.prefetch(tf.data.AUTOTUNE)


def web_dataset(data):
    import webdataset as wds

    shards = sorted(str(path) for path in Path(data).glob("s?.tar")) * PASSES
    samples = wds.WebDataset(shards, shardshuffle=False).shuffle(1000).decode("pil")
    batches = samples.to_tuple("jpg", "cls").map_tuple(changes(), int).batched(BATCH)
    for images, _ in wds.WebLoader(batches, batch_size=None, num_workers=2):
        yield images


def hf_datasets(data):
    import datasets
    from torch.utils.data import DataLoader

    change = changes()
    rows = datasets.Dataset.from_dict({"image": files_of(data)})
    rows = rows.cast_column("image", datasets.Image())
    rows.set_transform(lambda part: {"x": [change(one) for one in part["image"]]})
    for part in DataLoader(rows, batch_size=BATCH, shuffle=True, num_workers=2):
        yield part["x"]


def spdl(data):
    import spdl.io
    from spdl.pipeline import PipelineBuilder

    def decode(path):
        scale = spdl.io.get_video_filter_desc(scale_width=224, scale_height=224, pix_fmt="rgb24")
        return spdl.io.decode_packets(spdl.io.demux_image(path), filter_desc=scale)

    def convert(frames):
        return spdl.io.to_torch(spdl.io.convert_frames(frames)).float() / 255

    builder = PipelineBuilder().add_source(files_of(data)).pipe(decode, concurrency=2)
    pipeline = builder.aggregate(BATCH).pipe(convert).add_sink(3).build(num_threads=2)
    with pipeline.auto_stop():
        yield from pipeline.get_iterator(timeout=60)


def grain(data):
    import grain as library
    import numpy as np
    from PIL import Image

    def image(path):
        picture = Image.open(path).convert("RGB").resize((224, 224))
        return np.asarray(picture, np.float32) / 255

    files = library.MapDataset.source(files_of(data)).shuffle(seed=0)
    yield from files.map(image).batch(BATCH)


def ray_data(data):
    import numpy as np
    import ray

    def as_floats(part):
        return {"image": part["image"].astype(np.float32) / 255}

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    images = ray.data.read_images(f"{data}/jpeg", size=(224, 224), mode="RGB")
    for part in images.map_batches(as_floats, batch_size=BATCH).iter_batches(batch_size=BATCH):
        yield part["image"]
    ray.shutdown()


def batches_of(peer, data):
    if peer.startswith("DataLoader"):
        return dataloader(data, int(peer.split()[1]))
    makers = {
        "Loader": loader,
        "tf.data": tf_data,
        "WebDataset, 2 workers": web_dataset,
        "HF datasets, 2 workers": hf_datasets,
        "SPDL": spdl,
        "Grain": grain,
        "Ray Data": ray_data,
    }
    return makers[peer](data)


def main():
    peer, data = sys.argv[1:3]
    for name in PEERS[peer]:
        importlib.import_module(name)
    imported = resident()
    count = 0
    if "--imports" not in sys.argv:
        for batch in batches_of(peer, data):
            count += len(batch)
            del batch
            time.sleep(STEP)
    print(json.dumps({"imported": imported, "samples": count}))


if __name__ == "__main__":
    main()
