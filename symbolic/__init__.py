"""What is derived: attention variants, Gaussian reductions, closed forms and their LaTeX.

The derivations follow V. Castin, P. Ablin, J. A. Carrillo, G. Peyré, *A Unified Perspective on
the Dynamics of Deep Transformers*, arXiv:2501.18322.  Nothing is imported here, so that
``import symbolic`` costs nothing; import the module that you need:

- ``symbolic.notation.score_matrix``             A = K^T Q, beside the letters themselves
- ``symbolic.notation.with_scale``               scores with their scale written out
- ``symbolic.variants.names``                    the attention variants
- ``symbolic.variants.lookup``                   one of them, by name
- ``symbolic.variants.base.Variant``             scores, kernel and velocity of a variant
- ``symbolic.calculus.jacobian``                 derivative of a column by a column
- ``symbolic.calculus.gradient``                 derivative of a number by a column
- ``symbolic.calculus.time_derivative``          derivative in time
- ``symbolic.gaussian.derived``                  the variants with a reduction
- ``symbolic.gaussian.reduction``                one to mean and covariance, by name
- ``symbolic.gaussian.base.GaussianReduction``   velocity, equations and steps
- ``symbolic.closed_forms.commuting``            the covariance when matrices commute
- ``symbolic.closed_forms.self_similar``         the covariance when it keeps its shape
- ``symbolic.energies.names``                    the variants that are gradient flows
- ``symbolic.energies.lookup``                   the energy of one, by name
- ``symbolic.energies.base.Energy``              energy, weight of the metric, relation to B
- ``symbolic.gradient_flow.gradient_flow``       first variation, its gradient, dissipation
- ``symbolic.geodesics.geodesics``               geodesics of the metric of an energy
- ``symbolic.second_variation.second_variation`` second derivative of an energy along them
- ``symbolic.transport_energy.transport_energy`` the energy of Sinkhorn attention on Gaussians
- ``symbolic.pair_code.source``                  a NumPy function of it, as source
- ``symbolic.latex.latex``                       LaTeX as people write it
- ``symbolic.python_code.numpy_source``          a NumPy function of an expression, as source
- ``symbolic.python_code.numpy_function``        the same as a function
- ``symbolic.python_code.reduction_functions``   velocity and rates of a reduction

These are public, as are the lists in ``numeric`` and ``proofs``; the rest may change at any time.
"""
