"""Leaks of numpy, pandas and torch on the host, in a plain loop or with an optimizer's steps."""

import sys
import time

kept = []


def numpy_kept():
    import numpy

    while True:
        batch = numpy.random.rand(512, 256)
        kept.append(numpy.ones((512, 256)))  # leaks: numpy_kept
        batch.sum()
        time.sleep(0.012)


def pandas_concat():
    import numpy
    import pandas

    table = pandas.DataFrame()
    while True:
        rows = pandas.DataFrame(numpy.ones((8_000, 16)))
        table = pandas.concat([table, rows])  # leaks: pandas_concat
        time.sleep(0.04)


def tensors():
    import torch

    while True:
        batch = torch.rand(256, 256)
        kept.append(torch.ones(512, 512))  # leaks: tensors
        batch.sum()
        time.sleep(0.012)


def graphs():
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    while True:
        loss = model(torch.rand(512, 256)).square().mean()  # leaks: graphs
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()
        kept.append(loss)
        time.sleep(0.01)


def outputs():
    import torch

    model = torch.nn.Linear(256, 256)
    optimizer = torch.optim.Adam(model.parameters())
    while True:
        predicted = model(torch.rand(1024, 256))  # leaks: outputs
        loss = predicted.square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        kept.append(predicted.detach())
        time.sleep(0.01)


globals()[sys.argv[1]]()
