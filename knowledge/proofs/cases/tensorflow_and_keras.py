"""Shapes, labels, numbers and files in the words of TensorFlow and Keras."""

from pathlib import Path

from cases import said_by
from cases.data_files import cut, noise


def ones(*shape, **options):
    import tensorflow

    return tensorflow.ones(shape, **options)


@said_by("tensorflow_cpu", "tensorflow")
def tensorflow_add():
    """Two tensors of different sizes are added."""
    ones(3) + ones(4)


@said_by("tensorflow_cpu", "tensorflow")
def tensorflow_matmul():
    """Matrices that do not fit."""
    import tensorflow

    tensorflow.matmul(ones(2, 3), ones(2, 3))


@said_by("tensorflow_cpu", "tensorflow")
def tensorflow_concat():
    """Tensors that differ in another dimension than the one they are joined along."""
    import tensorflow

    tensorflow.concat([ones(2, 3), ones(2, 4)], 0)


@said_by("tensorflow_cpu", "tensorflow")
def tensorflow_sparse_labels():
    """Fewer labels than outputs."""
    import tensorflow

    labels = tensorflow.zeros([3], tensorflow.int32)
    tensorflow.raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=ones(4, 3), labels=labels)


@said_by("tensorflow_cpu", "tensorflow")
def tensorflow_reshape():
    """Six numbers into a shape for eight."""
    import tensorflow

    tensorflow.reshape(ones(6), (2, 4))


@said_by("tensorflow_cpu", "tensorflow")
def tensorflow_stack():
    """Tensors of two shapes are stacked."""
    import tensorflow

    tensorflow.stack([ones(3), ones(4)])


@said_by("tensorflow_cpu", "tensorflow")
def tensorflow_assign():
    """A variable is given a value of another shape."""
    import tensorflow

    tensorflow.Variable(ones(3)).assign(ones(4))


@said_by("tensorflow_cpu", "tensorflow")
def tensorflow_batch():
    """A batch is made of rows of different lengths."""
    import tensorflow

    rows = tensorflow.data.Dataset.from_generator(
        lambda: iter([[1.0], [1.0, 2.0]]), output_signature=tensorflow.TensorSpec([None])
    )
    list(rows.batch(2))


@said_by("tensorflow_cpu", "tensorflow")
def tensorflow_map_and_batch():
    """A batch is made of rows of different lengths, by one operation with the map before it."""
    import tensorflow

    options = tensorflow.data.Options()
    options.experimental_optimization.map_and_batch_fusion = True
    rows = tensorflow.data.Dataset.range(1, 4).map(lambda size: tensorflow.ones([size]))
    list(rows.batch(3).with_options(options))


@said_by("tensorflow_cpu", "tensorflow")
def tensorflow_dtype():
    """Floats and doubles are added."""
    import tensorflow

    ones(3) + ones(3, dtype=tensorflow.float64)


@said_by("tensorflow_cpu", "tensorflow")
def tensorflow_inf():
    """A tensor with an infinite number is checked."""
    import tensorflow

    tensorflow.debugging.check_numerics(tensorflow.constant([float("inf")]), "loss")


@said_by("tensorflow_cpu", "tensorflow")
def tensorflow_nan_hook():
    """A session watches a loss that is nan."""
    import tensorflow

    train = tensorflow.compat.v1.train
    with tensorflow.Graph().as_default():
        loss = tensorflow.constant(float("nan"))
        with train.MonitoredSession(hooks=[train.NanTensorHook(loss)]) as session:
            session.run(loss)


@said_by("keras")
def keras_nan():
    """A loss that is nan, where Keras is to look at it."""
    import keras

    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    nan = ones(4, 1).numpy() * float("nan")
    watch = keras.callbacks.TerminateOnNaN(raise_error=True)
    model.fit(ones(4, 2).numpy(), nan, verbose=0, callbacks=[watch])


@said_by("tensorflow_cpu", "tensorflow")
def tensorflow_example_feature():
    """A record lacks a feature."""
    import tensorflow

    feature = {"label": tensorflow.io.FixedLenFeature([], tensorflow.int64)}
    tensorflow.io.parse_single_example(b"", feature)


@said_by("tensorflow_cpu", "tensorflow")
def tensorflow_example_noise():
    """A record of noise is parsed."""
    import tensorflow

    feature = {"label": tensorflow.io.FixedLenFeature([], tensorflow.int64)}
    tensorflow.io.parse_single_example(b"noise", feature)


@said_by("tensorflow_cpu", "tensorflow")
def tensorflow_records_cut():
    """A file of records that was cut."""
    import tensorflow

    with tensorflow.io.TFRecordWriter("a.tfrecord") as writer:
        writer.write(b"x" * 1000)
    list(tensorflow.data.TFRecordDataset(cut("a.tfrecord", 500)))


@said_by("tensorflow_cpu", "tensorflow")
def tensorflow_image_noise():
    """Noise is decoded as an image."""
    import tensorflow

    tensorflow.io.decode_image(b"noise, and no image at all")


@said_by("tensorflow_cpu", "tensorflow")
def tensorflow_jpeg_noise():
    """A JPEG without its pixels."""
    import tensorflow

    tensorflow.io.decode_jpeg(b"\xff\xd8\xff\xe0" + b"noise" * 20)


@said_by("tensorflow_cpu", "tensorflow")
def tensorflow_checkpoint_file():
    """A file of noise is loaded as a checkpoint."""
    import tensorflow

    tensorflow.train.load_checkpoint(noise("./a"))


@said_by("tensorflow_cpu", "tensorflow")
def tensorflow_checkpoint_index():
    """A checkpoint whose list of parts is noise."""
    import tensorflow

    noise("a.index")
    Path("a.data-00000-of-00001").touch()
    tensorflow.train.load_checkpoint("a")


@said_by("keras")
def keras_binary_shapes():
    """Labels of another shape than the outputs, in binary_crossentropy."""
    import keras

    keras.losses.BinaryCrossentropy()(ones(4, 2), ones(4, 3))


@said_by("keras")
def keras_input_count():
    """Two inputs go into a layer for one."""
    import keras

    keras.layers.Dense(3)([ones(2, 3), ones(2, 3)])


@said_by("keras")
def keras_cardinality():
    """More samples than labels."""
    import keras

    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(ones(4, 2).numpy(), ones(3, 1).numpy(), verbose=0)


@said_by("keras")
def keras_concatenate():
    """Inputs that differ in another axis than the one they are joined along."""
    import keras

    keras.layers.Concatenate()([keras.Input((2, 3)), keras.Input((4, 3))])


@said_by("keras")
def keras_merge():
    """Inputs of two shapes are added."""
    import keras

    keras.layers.Add()([keras.Input((3,)), keras.Input((4,))])


@said_by("keras")
def keras_reshape():
    """Six numbers into a shape for eight."""
    import keras

    keras.layers.Reshape((2, 4))(keras.Input((6,)))


@said_by("keras")
def keras_weights_shape():
    """Weights of another model are loaded."""
    import keras

    def model(units):
        return keras.Sequential([keras.Input((2,)), keras.layers.Dense(units)])

    model(3).save_weights("a.weights.h5")
    model(4).load_weights("a.weights.h5")
