"""Exponential attention: the energy of softmax attention, in a constant metric."""

from symbolic.energies.base import Interaction
from symbolic.energies.softmax import score

ENERGY = Interaction("exponential", "exponential attention", score)
