from clirbench.labs.models.command_systems import CommandSystems
from clirbench.labs.models.openai_systems import OpenAISystems
from clirbench.labs.planning.error_model import ErrorModel as ErrorModel
from clirbench.labs.planning.simulated import SimulatedSystems
from clirbench.systems.base import SystemSource as SystemSource
from clirbench.systems.checkpoints import CheckpointSystems
from clirbench.systems.demo import DemoSystems
from clirbench.systems.files import FileSystems

Checkpoints = CheckpointSystems
Commands = CommandSystems
Demo = DemoSystems
Files = FileSystems
OpenAI = OpenAISystems
Simulated = SimulatedSystems
