"""`clirbench watch` from within a training: a callback of transformers' Trainer that looks after each save."""

import subprocess
import sys
from typing import Any

from clirbench.errors import ResourceError

try:
    from transformers import TrainerCallback
except ImportError:
    raise ResourceError("clirbench.labs.watching.trainer needs a library: pip install '.[transformers]'") from None

STOPPED = 10


class WatchCallback(TrainerCallback):  # type: ignore[misc]
    """`Trainer(..., callbacks=[WatchCallback("folder=data", "hydra.run.dir=runs/watch")])`: a look after each save.

    `arguments` are those of `clirbench watch`: keys of a run, and options such as `--tensorboard=DIR`. Where they name
    no checkpoints these are the models in the trainer's `output_dir`. A look is a process of its own beside the
    training, at low priority, on one core; the next save waits for it. With `--stop-rule` among the arguments the
    training ends where the rule says so. What goes wrong in a look is printed, and the training goes on.
    """

    def __init__(self, *arguments: str) -> None:
        self.arguments = arguments
        self.looking: subprocess.Popen[bytes] | None = None

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> Any:
        """Begin a look at what is saved now, when that before has ended."""
        if state.is_world_process_zero:
            self._end(control)
            self.looking = subprocess.Popen([sys.executable, "-m", "clirbench", *self.command(args.output_dir)])
        return control

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> Any:
        """Wait for the last look."""
        self._end(control)
        return control

    def command(self, output_dir: str) -> list[str]:
        """The arguments of a look. A checkpoint is whole when the trainer calls, so no file is waited for."""
        command = ["watch", "--once", *self.arguments]
        given = {argument.lstrip("+").partition("=")[0] for argument in self.arguments}
        if not given & {"systems", "systems.model", "systems.pattern"}:
            command += [
                "systems=checkpoints",
                f"systems.model='{output_dir}/checkpoint-%step%'",
            ]
        return command if "systems.quiet" in given else [*command, "systems.quiet=0"]

    def _end(self, control: Any) -> None:
        if self.looking is not None and self.looking.wait() == STOPPED:
            control.should_training_stop = True
        self.looking = None
