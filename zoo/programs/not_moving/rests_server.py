"""A server that nobody asks anything, with a pool of threads at rest."""
# zoo end: killed
# zoo then: sleep 14; kill -TERM $PID

import concurrent.futures
import http.server
import os

pool = concurrent.futures.ThreadPoolExecutor(4)
list(pool.map(abs, range(8)))
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
server.serve_forever()
