"""A metaclass remembers every instance; three methods make them, so no line has most of the memory."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 260M
# zoo needs: numpy

import time

import numpy as np


class Remembered(type):
    def __init__(cls, name, bases, names):
        super().__init__(name, bases, names)
        cls.all = {}

    def __call__(cls, *given):
        one = super().__call__(*given)
        cls.all[len(cls.all)] = one  # guilty
        return one


class Picture(metaclass=Remembered):
    def __init__(self, pixels):
        self.pixels = pixels

    def brighter(self, by):
        return Picture(self.pixels * by)

    def turned(self):
        return Picture(np.rot90(self.pixels).copy())

    def noisy(self, random):
        return Picture(self.pixels + random.normal(size=self.pixels.shape))


random = np.random.default_rng(0)
picture = Picture(random.random((150, 150)))
for _ in range(5000):
    picture = picture.brighter(0.999).turned().noisy(random)
    time.sleep(0.01)
