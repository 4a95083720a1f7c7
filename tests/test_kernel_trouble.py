"""Silent trouble is shown once in the running cell; a healthy cell shows nothing."""

STEPS = """
import holdfast
for number in range(450):
    holdfast.step(loss={loss})
"""


def shown(answer: dict) -> list[str]:
    displayed = [output for output in answer["outputs"] if output["kind"] == "display_data"]
    return [output["data"]["text/plain"] for output in displayed]


def test_a_loss_that_is_no_number_is_told_once_while_the_cell_runs(jupyter):
    session = jupyter.session()
    for healthy in ("0.5 / (1 + number)", "float('nan') if number % 50 == 0 else 0.5"):
        assert shown(session.run(STEPS.format(loss=healthy))) == []
    (line,) = shown(session.run(STEPS.format(loss="float('nan')")))
    assert "the loss is not a number any more, at step 451" in line
    assert shown(session.run(STEPS.format(loss="float('nan')"))) == []
    session.do("shutdown")
    session.end()
