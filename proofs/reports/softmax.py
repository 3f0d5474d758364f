"""Softmax attention on Gaussian measures: velocity, equations, closed form, blow-up, limit.

Every formula is the print of a term: a fact, a step that the kernel accepted, or an expression
derived with SymPy that the kernel has proved equal to the term of the claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from proofs.bridge import to_term
from proofs.builder import Builder
from proofs.claims import covariance_commuting_factored as factored
from proofs.claims import gaussian_softmax as softmax
from proofs.claims import square_root_form as closed
from proofs.claims.base import Claim, claim_named
from proofs.claims.covariance_equation import F, Sigma, Sigma0, V, covariance_field, d, t
from proofs.claims.covariance_equation import A as SCORE
from proofs.claims.gaussian_velocity import velocity
from proofs.crosschecks.base import cross_check_of
from proofs.facts.base import fact_named
from proofs.kernel import Refutation, Statement, check
from proofs.kernel import Theorem as Proved
from proofs.language import at, eq, identity, inv, minus, mul, scale, tp, vec, zero
from proofs.printing.abbreviations import Abbreviations
from proofs.printing.derivation import PrintedProof, PrintedStep, derivation
from proofs.printing.latex import LATEX
from proofs.printing.propositions import Printer
from proofs.reports.document import Block, Document, Formula, Heading, Items, Paragraph, Theorem
from proofs.reports.explain import fact_uses, notation_of
from proofs.terms import Term, measure_sort, variable
from symbolic import closed_forms, notation
from symbolic.gaussian import reduction
from symbolic.gaussian.base import tilted_mean
from symbolic.variants import lookup
