# The limit on memory is set in the script itself.
# zoo end: address-limit
# zoo root: address-limit host-leak
ulimit -v 800000
"$PYTHON" -c "
kept = []
for i in range(1000):
    kept.append(bytearray(32 << 20))
"
