"""Frames of AutoGraph's copies are shown as the lines they were made from, by TensorFlow's text."""

import importlib.util

from support.run import ROOT

COPY = "/tmp/__autograph_generated_filei_eofp0_.py"
# The text of TensorFlow 2.13.
TEXT = """in user code:

    File "/v/lib/python3.8/site-packages/keras/src/engine/t.py", line 1338, in train_function  *
        return step_function(self, iterator)
    File "/v/lib/python3.8/site-packages/keras/src/engine/t.py", line 1322, in run_step  **
        outputs = model.train_step(data)

    ValueError: Exception encountered when calling layer 'net' (type Net).

    in user code:

        File "train.py", line 12, in call  *
            return tf.matmul(h, self.b(x))
"""


def translated(places, text):
    path = ROOT / "agent/hooks/autograph.py"
    spec = importlib.util.spec_from_file_location("autograph", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.translated(places, text)


def test_a_copy_is_told_as_the_line_it_was_made_of():
    places = [
        (1, ("train.py", "<module>", 16)),
        (2, (COPY, "outer_factory.<locals>.inner_factory.<locals>.tf__train_function", 15)),
        (3, (COPY, "tf__call", 13)),
    ]
    assert translated(places, TEXT) == [
        (1, ("train.py", "<module>", 16)),
        (
            2,
            (
                "/v/lib/python3.8/site-packages/keras/src/engine/t.py",
                "train_function",
                1338,
            ),
        ),
        (3, ("train.py", "call", 12)),
    ]


def test_a_function_that_calls_itself_is_told_in_the_order_of_the_calls():
    text = 'File "a.py", line 5, in f  *\nFile "a.py", line 7, in f  *\n'
    places = [(1, (COPY, "tf__f", 1)), (2, (COPY, "tf__f", 2))]
    assert [place[2] for _, place in translated(places, text)] == [5, 7]


def test_what_the_text_does_not_name_stays_as_it_is():
    places = [(1, (COPY, "tf__call", 13)), (2, ("train.py", "call", 4))]
    for text in ("", 'File "a.py", line x, in call  *', 'File "a.py", line 3, in other  *'):
        assert translated(places, text) == places
    plain = [(1, ("train.py", "tf__call", 13))]
    assert translated(plain, TEXT) == plain
