"""Exponential attention: the energy of softmax attention, in a constant metric."""

from symbolic.energies.base import Interaction
from symbolic.energies.softmax import kernel

ENERGY = Interaction("exponential", "exponential attention", kernel)
