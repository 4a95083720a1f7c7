"""srun starts the training below Slurm's daemon, where it fails; srun hands its status on."""
# zoo end: exception
# zoo tools: srun slurmctld slurmd munged
# zoo launcher: sh {zoo}/in_slurm.sh
# zoo run: srun {python} {file}

import time

time.sleep(0.3)
weights = [1.0, 2.0]
print(weights[2])  # guilty
