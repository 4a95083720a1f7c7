"""What is hooked, and when: each hook waits for its module, and imports nothing.

The files here are compiled into the agent and run inside the program's interpreter (3.8 to 3.15),
between two of its bytecodes. `import` finds other hooks, `_holdfast_agent`, and what the program
has imported already. There is no `except Exception` here: an exception that a signal handler of the
program raises meanwhile must get through, and the agent tells the two apart.
"""

import sys

from _holdfast_agent import attempt, hook

# Module of the program -> the hook that is called with it, once it is fully imported.
awaited = {
    "_imp": "hooks.imports",
    "sys": "hooks.exits",
    "_sitebuiltins": "hooks.exits",
    "atexit": "hooks.endings",
    "_thread": "hooks.threads",
    "threading": "hooks.threads",
    "multiprocessing.process": "hooks.children",
    "warnings": "hooks.warning_texts",
    "torch.cuda": "hooks.launches",
    "torch.optim": "hooks.torch_steps",
    "keras.src.callbacks.callback_list": "hooks.keras_steps",  # Keras 3
    "keras.src.callbacks": "hooks.keras_steps",  # 2.13 to 2.15
    "tf_keras.src.callbacks": "hooks.keras_steps",
    "keras.callbacks": "hooks.keras_steps",  # 2.6 to 2.12
    "tensorflow.python.keras.callbacks": "hooks.keras_steps",  # before TensorFlow 2.6
    "transformers.trainer_callback": "hooks.trainers",
    "lightning.pytorch.loops.fit_loop": "hooks.trainers",
    "lightning.pytorch.trainer.connectors.logger_connector.logger_connector": "hooks.trainers",
    "pytorch_lightning.loops.fit_loop": "hooks.trainers",
    "pytorch_lightning.trainer.connectors.logger_connector.logger_connector": "hooks.trainers",
    "sklearn.linear_model._stochastic_gradient": "hooks.sklearn_steps",
    "sklearn.linear_model._perceptron": "hooks.sklearn_steps",
    "sklearn.linear_model._passive_aggressive": "hooks.sklearn_steps",
    "sklearn.neural_network._multilayer_perceptron": "hooks.sklearn_steps",
    "sklearn.cluster._kmeans": "hooks.sklearn_steps",
    "sklearn.decomposition._incremental_pca": "hooks.sklearn_steps",
    "sklearn.naive_bayes": "hooks.sklearn_steps",
    "ipykernel.kernelapp": "hooks.kernel",
}

modules = sys.modules


def tick():
    """Calls hooks for modules that exist; true while one of them is still being imported."""
    unfinished = False
    for name in [name for name in awaited if name in modules]:
        module = modules.get(name)
        if module is None or getattr(getattr(module, "__spec__", None), "_initializing", False):
            unfinished = unfinished or module is not None
            continue
        wanted = awaited.pop(name, None)  # another thread may be here, too
        if wanted is not None:
            attempt(_tell, name, wanted, module)
            unfinished = unfinished or name in awaited
    return unfinished


def _tell(name, wanted, module):
    if hook(wanted).install(module) == "later":
        awaited[name] = wanted


attempt(hook("hooks.endings").install, modules.get("atexit"))
