from clirbench.labs.models.systems import commands, openai
from clirbench.labs.planning.error_model import ErrorModel as ErrorModel
from clirbench.labs.planning.simulated import SimulatedSystems
from clirbench.systems.base import SystemSource as SystemSource
from clirbench.systems.checkpoints import CheckpointSystems
from clirbench.systems.demo import DemoSystems
from clirbench.systems.files import FileSystems

Checkpoints = CheckpointSystems
Commands = commands
Demo = DemoSystems
Files = FileSystems
OpenAI = openai
Simulated = SimulatedSystems
