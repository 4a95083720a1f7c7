"""ulimit -f stops a growing result file."""
# zoo end: file-size-limit
# zoo limits: -f 2000

with open("results.csv", "w") as file:
    for i in range(1_000_000):
        file.write("0.123456789," * 10 + "\n")  # guilty
    file.flush()
