from clirbench.labs.models.command_systems import CommandSystems
from clirbench.labs.models.openai_systems import OpenAISystems
from clirbench.systems.base import SystemSource as SystemSource
from clirbench.systems.checkpoints import CheckpointSystems
from clirbench.systems.error_model import ErrorModel as ErrorModel
from clirbench.systems.files import FileSystems
from clirbench.systems.simulated import SensitivitySystems, SimulatedSystems

Checkpoints = CheckpointSystems
Commands = CommandSystems
Files = FileSystems
OpenAI = OpenAISystems
Sensitivity = SensitivitySystems
Simulated = SimulatedSystems
