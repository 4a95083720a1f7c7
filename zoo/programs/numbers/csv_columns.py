"""A table with a row of too many fields."""
# zoo end: bad-input
# zoo needs: pandas

import pandas as pd

with open("table.csv", "w") as file:
    file.write("a,b\n1,2\n3,4\n5,6,7,8\n9,10\n")
print(pd.read_csv("table.csv"))  # guilty
