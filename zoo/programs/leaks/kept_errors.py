"""Per-subject regression; subjects that cannot be fitted are listed at the end."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 384M
# zoo needs: numpy

import time

import numpy as np


class NotFitted(Exception):
    pass


def recording(subject):
    rng = np.random.default_rng(subject)
    x = rng.random((6000, 80))  # guilty
    if subject % 3:
        x[:, 5] = x[:, 4]
    return x, x[:, :1] + rng.normal(size=(6000, 1))


def fit_subject(subject, max_condition=1e6):
    design, response = recording(subject)  # guilty
    gram = design.T @ design
    condition = np.linalg.cond(gram)
    if condition > max_condition:
        raise NotFitted(f"subject {subject}: condition {condition:.3g}")
    return np.linalg.solve(gram, design.T @ response)


def main():
    failures, betas = [], 0.0
    for subject in range(3000):
        try:
            betas += fit_subject(subject).ravel()
        except NotFitted as err:
            failures.append(err)  # guilty
        if subject % 25 == 0:
            print(f"{subject} subjects, {len(failures)} not fitted", flush=True)
        time.sleep(0.005)
    for err in failures:
        print("skipped:", err)
    print(betas[:5])


main()
