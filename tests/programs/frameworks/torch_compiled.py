"""An optimizer that torch compiles, a compiled function that calls backward(), and a profile."""

import copy
import pickle
import sys

import torch

torch.manual_seed(1)
model = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=False)
print("handle", model.register_forward_hook(lambda *_: None).id)


def loss():
    return model(torch.ones(1, 2)).sum()


def learn():
    torch.autograd.backward(loss())


with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
    loss().backward()
    optimizer.step()
print([event.key for event in profile.key_averages() if event.key == "aten::item"])
print(torch.autograd.backward is copy.copy(pickle.loads(pickle.dumps(torch.autograd.backward))))
compiled_step = torch.compile(optimizer.step, backend="eager")
compiled_learn = torch.compile(learn, backend="eager")
for _ in range(2):
    optimizer.zero_grad()
    compiled_learn()
    compiled_step()
counted = torch._dynamo.utils.counters
print([reason for reason in counted["unimplemented"] if "skipped" in reason])
print(float(loss().detach()), file=sys.stderr)
