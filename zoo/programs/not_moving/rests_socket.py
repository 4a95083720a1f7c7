"""A program that waits for a socket, as servers do, and is ended by somebody."""
# zoo end: killed
# zoo then: sleep 10; kill -TERM $PID

import os
import socket

server = socket.create_server(("127.0.0.1", 0))
with open(os.path.join(os.environ["ZOO_DIR"], "ready"), "w") as file:
    file.write(str(os.getpid()))
server.accept()
