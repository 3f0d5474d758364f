"""What is claimed: kernel, checkers, ledger, certificates, reports and the command line.

Nothing is imported here; import the module that you need:

- ``proofs.verify.verify``                     what is proved about given parameters
- ``proofs.answers.Verification``              the answer
- ``proofs.certificates.recheck``              a certificate, by the kernel alone
- ``proofs.check.check``                       claims, settled by the kernel
- ``proofs.claims.base.ledger``                all claims
- ``proofs.claims.base.claim_named``           one of them
- ``proofs.claims.base.Claim``                 statement, source and proof
- ``proofs.facts.base.all_facts``              the facts of analysis that proofs quote
- ``proofs.facts.base.fact_named``             one of them
- ``proofs.crosschecks.base.cross_check_of``   the independent computation beside a claim
- ``proofs.reports.explain.explain``           a claim in full, as text
- ``proofs.reports.derivation.derive``         the derivation for a variant, as a document
- ``proofs.exports.run.export``                claims as LaTeX, MathML or NumPy functions
- ``proofs.printing.statement.statement_text``   a statement for a terminal
- ``proofs.printing.statement.statement_latex``  a statement for a paper
- ``proofs.builder.Builder``                   a proof under construction
- ``proofs.kernel.establish``                  the theorem of a statement and a proof
- ``proofs.kernel.refute``                     the refutation of a statement
"""
