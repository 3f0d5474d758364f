"""Linear Lyapunov functions of the covariance of softmax attention, with exact certificates."""

from numeric.lyapunov.certificate import Certificate, verify_exactly
from numeric.lyapunov.search import Outcome, Status, decrease, growth

__all__ = ["Certificate", "Outcome", "Status", "decrease", "growth", "verify_exactly"]
