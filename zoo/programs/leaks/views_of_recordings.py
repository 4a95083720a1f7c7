"""Collects the loudest part of every recording for a test; each part is a view of the whole."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 400M
# zoo needs: numpy

import numpy as np

RATE = 16_000
generator = np.random.default_rng(3)


def load_recording(seconds):
    noise = generator.standard_normal(RATE * seconds, dtype=np.float32)
    spectrum = np.fft.rfft(noise)
    spectrum[len(spectrum) // 4 :] = 0
    return np.fft.irfft(spectrum).astype(np.float32)


def loudest(recording):
    energy = np.square(recording.reshape(-1, RATE)).sum(axis=1)
    start = int(energy.argmax()) * RATE
    return recording[start : start + RATE // 4]


def parts_of(count):
    parts = {}
    for number in range(count):
        recording = load_recording(10)
        parts[number] = loudest(recording)  # guilty
    return parts


if __name__ == "__main__":
    loud = parts_of(20_000)
    print(len(loud), sum(part.nbytes for part in loud.values()))
