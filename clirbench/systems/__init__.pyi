from clirbench.labs.models.systems import commands, openai
from clirbench.labs.planning.simulated import SimulatedSystems
from clirbench.systems.base import SystemSource as SystemSource
from clirbench.systems.checkpoints import CheckpointSystems
from clirbench.systems.files import DemoSystems, FileSystems

Checkpoints = CheckpointSystems
Commands = commands
Demo = DemoSystems
Files = FileSystems
OpenAI = openai
Simulated = SimulatedSystems
