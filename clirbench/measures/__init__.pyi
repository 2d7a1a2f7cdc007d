from clirbench.configuration.laboratories import parse as parse
from clirbench.labs.papers.query_aware import AQWV as AQWV, MQWV as MQWV, OQWV as OQWV
from clirbench.measures.base import ArithmeticMean as ArithmeticMean, Measure as Measure
from clirbench.measures.ir import IrMeasure as IrMeasure
from clirbench.measures.rbo import RBO as RBO
from clirbench.measures.rbp import RBP as RBP
