"""A server resets a client's connection: in the words of a lost peer, but there are no ranks."""
# zoo end: exception

import socket
import struct
import threading
import urllib.request

server = socket.create_server(("127.0.0.1", 0))


def answer():
    connection, _ = server.accept()
    connection.recv(10)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


threading.Thread(target=answer, daemon=True).start()
port = server.getsockname()[1]
urllib.request.urlopen(f"http://127.0.0.1:{port}/part-{'7' * 40}.bin").read()  # guilty
