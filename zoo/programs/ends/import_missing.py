"""A package is not installed: an ordinary ImportError."""
# zoo end: exception

import no_such_package_at_all  # guilty
