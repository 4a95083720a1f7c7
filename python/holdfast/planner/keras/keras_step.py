"""A Keras training step estimated from its layers: births and deaths, as if it had been captured.

Weights, gradients and the optimizer's slots are known exactly; what lies between forward and
backward follows from layer rules, so the whole is an estimate, and says so.
"""

from pathlib import Path
from typing import Any

from holdfast.planner.exchange import capture_file
from holdfast.planner.exchange.device import Device
from holdfast.planner.exchange.numbers import (
    ACTIVATION,
    ALLOC,
    CONV,
    FREE,
    GEMM,
    GRADIENT,
    INPUT,
    MARK,
    OPTIMIZER,
    SCRATCH,
    TEMPORARY,
    WEIGHT,
)
from holdfast.planner.keras.keras_convolution import conv_facts
from holdfast.planner.keras.keras_layers import Cost, cost_of, is_float, width
from holdfast.planner.keras.keras_optimizer import slots_of, working_sizes
from holdfast.planner.keras.keras_trace import Call, Tensor, Trace, trace

BAND = {"torch": 0.4, "jax": 0.3, "tensorflow": 0.3}  # docs/fit.md: how it was measured
STEPS = 2


class _Memory:
    """The event list; a buffer is freed with its last holder."""

    def __init__(self) -> None:
        self.events: list[tuple[Any, ...]] = []
        self.roles: dict[int, int] = {}
        self.sites: list[tuple[str, str, int]] = [("", "", 0)]
        self.marks: list[str] = []
        self._site = 0
        self._holders: dict[int, int] = {}

    def at(self, name: str) -> None:
        """What follows belongs to this layer."""
        site = (name, "", 0)
        if site not in self.sites:
            self.sites.append(site)
        self._site = self.sites.index(site)

    def new(self, size: int, role: int) -> int:
        """A buffer with one holder."""
        key = len(self._holders) + 1
        self._holders[key] = 1
        self.roles[key] = role
        self.events.append((ALLOC, key, size, self._site))
        return key

    def hold(self, key: int) -> int:
        """One more holder."""
        self._holders[key] += 1
        return key

    def release(self, *keys: int) -> None:
        """One holder less, of each."""
        for key in keys:
            self._holders[key] -= 1
            if self._holders[key] == 0:
                self.events.append((FREE, key))

    def passing(self, size: int) -> None:
        """Allocated and freed at once."""
        if size:
            self.release(self.new(size, TEMPORARY))

    def mark(self, label: str) -> None:
        """Marks a moment."""
        if label not in self.marks:
            self.marks.append(label)
        self.events.append((MARK, self.marks.index(label)))

    def library(self, fact: int, values: tuple[int, ...]) -> None:
        """A call whose workspace the replay knows."""
        self.events.append((SCRATCH, None, self._site, fact, values))


class Step:
    """One model's step on one backend."""

    def __init__(self, model: Any, traced: Trace, backend: str) -> None:
        self.model, self.traced = model, traced
        self.eager = backend == "torch"
        self.memory = _Memory()
        self.fused = backend == "jax"
        self.costs = [cost_of(call, backend) for call in traced.calls]
        self.last_use: dict[int, int] = {}
        self.readers: dict[int, list[int]] = {}
        self.written: dict[int, int] = {}
        for number, call in enumerate(traced.calls):
            for tensor in call.inputs:
                self.last_use[tensor.key] = number
                self.readers.setdefault(tensor.key, []).append(number)
            for tensor in call.outputs:
                self.written.setdefault(tensor.key, number)
        self.own = self._variables()
        self.wanted = self._wanted()
        self.gradients: list[int] = []

    def _variables(self) -> list[list[Any]]:
        """The trainable variables of each call that no earlier call had."""
        seen: set[int] = set()
        found = []
        for call in self.traced.calls:
            own = [] if "Attention" in call.kind else call.layer.trainable_variables
            found.append([v for v in own if id(v) not in seen])
            seen.update(id(v) for v in own)
        return found

    def _wanted(self) -> set[int]:
        """Tensors that a gradient flows through."""
        wanted: set[int] = set()
        known = {tensor.key for tensor in self.traced.inputs}
        for call in self.traced.calls:
            loose = [t for t in call.inputs if t.key not in known and t.key not in self.written]
            if loose and any(is_float(tensor) for tensor in loose) and wanted:
                wanted.update(tensor.key for tensor in loose if is_float(tensor))
            if call.layer.trainable_variables or any(t.key in wanted for t in call.inputs):
                wanted.update(tensor.key for tensor in call.outputs if is_float(tensor))
        return wanted

    def lies(self, tensor: Tensor) -> bool:
        """Whether the tensor is ever in memory."""
        if not self.fused:
            return True
        writer = self.written.get(tensor.key)
        readers = self.readers.get(tensor.key, [])
        return (
            writer is None
            or self.costs[writer].product
            or len(readers) != 1
            or any(
                self.costs[reader].product or self.costs[reader].reads_twice for reader in readers
            )
        )

    def run(self) -> None:
        """The weights, then two steps."""
        memory = self.memory
        memory.at("weights")
        for variable in self.model.variables:
            memory.new(_bytes(variable), WEIGHT)
        memory.mark("made")
        for number in range(STEPS):
            self._forward()
            self._backward()
            memory.mark("optimizer")
            memory.at("optimizer")
            if number == 0:
                for size in slots_of(self.model):
                    memory.new(size, OPTIMIZER)
            working = working_sizes(self.model) if self.eager else []
            memory.release(*[memory.new(size, TEMPORARY) for size in working])
            memory.mark("optimizer done")
            if not self.eager:  # torch's stay until the next forward is done
                self._drop_gradients()
            memory.mark("step")

    def _drop_gradients(self) -> None:
        self.memory.release(*self.gradients)
        self.gradients.clear()

    def _forward(self) -> None:
        memory = self.memory
        self.buffers: dict[int, int] = {}
        self.saved: list[list[int]] = []
        memory.at("input")
        for tensor in self.traced.inputs:
            self.buffers[tensor.key] = memory.new(tensor.bytes, INPUT)
        for number, (call, cost) in enumerate(zip(self.traced.calls, self.costs, strict=True)):
            memory.at(call.name)
            self._run(number, call, cost)
            for tensor in call.inputs:
                if self.last_use[tensor.key] == number and tensor.key in self.buffers:
                    # torch keeps what a model's layers made until the model is done.
                    writer = self.written.get(tensor.key)
                    if self.eager and (writer is None or not self.traced.calls[writer].inner):
                        continue
                    memory.release(self.buffers.pop(tensor.key))
        if self.eager:
            self._drop_gradients()

    def _run(self, number: int, call: Call, cost: Cost) -> None:
        memory = self.memory
        for tensor in call.inputs:  # made outside of any layer
            if (
                tensor.key not in self.buffers
                and tensor.key not in self.written
                and self.lies(tensor)
            ):
                self.buffers[tensor.key] = memory.new(tensor.bytes, ACTIVATION)
        learns = any(tensor.key in self.wanted for tensor in call.outputs)
        held: list[int] = []
        if learns and cost.product and self.own[number]:
            narrow = self._narrow(call)
            if narrow:
                held.append(memory.new(narrow, ACTIVATION))
        self._library(call, forward=True)
        source = next((t for t in call.inputs if t.key in self.buffers), None)
        for tensor in call.outputs:
            if tensor.key in self.buffers:
                continue
            if cost.view and source is not None:
                self.buffers[tensor.key] = memory.hold(self.buffers[source.key])
            elif self.lies(tensor):
                self.buffers[tensor.key] = memory.new(tensor.bytes, ACTIVATION)
        memory.passing(cost.work)
        if learns:
            tensors = (call.inputs if cost.keeps_input else ()) + (
                call.outputs if cost.keeps_output else ()
            )
            held += [memory.hold(self.buffers[t.key]) for t in tensors if t.key in self.buffers]
            if cost.kept:
                held.append(memory.new(cost.kept, ACTIVATION))
        self.saved.append(held)

    def _narrow(self, call: Call) -> int:
        """The weights as a mixed policy's products read them."""
        if not call.outputs or width(call.outputs[0].dtype) >= 4:
            return 0
        return sum(_bytes(variable) // 2 for variable in call.layer.trainable_variables)

    def _library(self, call: Call, forward: bool) -> None:
        memory = self.memory
        if call.kind in ("Dense", "EinsumDense"):
            memory.library(GEMM, (int(self.eager and not forward), 0))
        for values in conv_facts(call, forward):
            memory.library(CONV, values)

    def _backward(self) -> None:
        memory = self.memory
        memory.at("loss")
        gradients: dict[int, int] = {}
        outputs = [tensor for tensor in self.traced.outputs if is_float(tensor)]
        # Losses keep their logarithms or differences in float32.
        loss = [memory.new(4 * tensor.elements, ACTIVATION) for tensor in outputs]
        for tensor in outputs:
            gradients[tensor.key] = memory.new(tensor.bytes, ACTIVATION)
        memory.release(*loss)
        memory.mark("backward")
        if self.eager:  # the forward pass is over, and with it its tables
            memory.release(*self.buffers.values())
            self.buffers.clear()
        for number in reversed(range(len(self.traced.calls))):
            call, cost = self.traced.calls[number], self.costs[number]
            memory.at(call.name)
            self._run_back(number, call, cost, gradients)
            memory.release(*self.saved[number])
        memory.release(*gradients.values(), *self.buffers.values())
        self.buffers.clear()

    def _run_back(self, number: int, call: Call, cost: Cost, gradients: dict[int, int]) -> None:
        memory = self.memory
        incoming = [gradients.pop(t.key) for t in call.outputs if t.key in gradients]
        if not incoming:
            return
        self._library(call, forward=False)
        for tensor in call.inputs:
            if tensor.key not in self.wanted:
                continue
            if tensor.key in gradients:  # the sum of two readers' gradients
                if self.lies(tensor) and not cost.passes:
                    memory.passing(tensor.bytes)
            elif cost.passes or cost.view or not self.lies(tensor):
                gradients[tensor.key] = memory.hold(incoming[0])
            else:
                gradients[tensor.key] = memory.new(tensor.bytes, ACTIVATION)
        memory.passing(cost.work + cost.back)
        for variable in self.own[number]:
            self.gradients.append(memory.new(_bytes(variable), GRADIENT))
        memory.release(*incoming)


def _bytes(variable: Any) -> int:
    return Tensor(0, tuple(variable.shape), str(variable.dtype)).bytes


def write(
    model: Any, inputs: Any, batch: int, path: Path, device: Device, missing: list[str]
) -> None:
    """Writes the step as a capture file."""
    import keras

    backend = keras.backend.backend()
    step = Step(model, trace(model, inputs), backend)
    step.run()
    memory = step.memory
    band = BAND.get(backend, max(BAND.values()))
    header = {
        "torch": "",
        "cuda": "",
        "cudnn": device.cudnn,
        "sm": device.major * 10 + device.minor,
        "batch": batch,
        "steps": STEPS,
        "marks": memory.marks,
        "sites": [list(site) for site in memory.sites],
        "missing": [
            *missing,
            f"estimated from the layers of a Keras model on {backend}, off by up to "
            f"{band:.0%}".replace("%", " %"),
        ],
        "operations": len(step.traced.calls),
        "host": None,
        "estimate": band,
    }
    capture_file.write(path, header, memory.events, memory.roles)
