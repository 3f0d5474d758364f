"""What is derived: attention variants, Gaussian reductions, closed forms and their LaTeX.

The derivations follow V. Castin, P. Ablin, J. A. Carrillo, G. Peyré, *A Unified Perspective on
the Dynamics of Deep Transformers*, arXiv:2501.18322.  Nothing is imported here, so that
``import symbolic`` costs nothing; import the module that you need:

- ``symbolic.notation``      the letters, and the closed list of expression nodes
- ``symbolic.variants``      the one table of attention variants, ``lookup(name)``
- ``symbolic.calculus``      Jacobians, gradients and time derivatives
- ``symbolic.gaussian``      reductions to mean and covariance, ``reduction(name)``
- ``symbolic.closed_forms``  explicit solutions of the covariance equation
- ``symbolic.latex``         LaTeX as people write it
- ``symbolic.python_code``   NumPy functions, ``reduction_functions(reduction)``
"""
