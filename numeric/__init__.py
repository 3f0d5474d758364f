"""What is computed: parameters, flows and high-precision cross-checks.

The package itself imports nothing, so that reading a parameter file stays cheap; import the
module you need:

- ``numeric.examples.names``                     the parameter files that come with the package
- ``numeric.examples.load``                      one of them
- ``numeric.loading.load_model``                 a parameter file or a trained checkpoint
- ``numeric.loading.load_covariance``            a covariance from a file
- ``numeric.mappings.model_from_mapping``        parameters from decoded fields
- ``numeric.parameters.from_mapping``            the same for one head
- ``numeric.parameters.Parameters``              exact parameters of one head
- ``numeric.model.Model``                        exact parameters of layers of heads
- ``numeric.matrices.ExactMatrix``               an exact matrix of any size
- ``numeric.gaussian_velocity.AffineVelocity``   velocity and rates on a Gaussian
- ``numeric.gaussian_velocity.softmax``          that of softmax attention
- ``numeric.gaussian_velocity.l2``               that of L2 attention
- ``numeric.gaussian_velocity.sinkhorn``         that of Sinkhorn attention
- ``numeric.gaussian_velocity.linear``           that of linear attention
- ``numeric.gaussian_velocity.masked_linear``    that of masked linear attention
- ``numeric.covariance.trend``                   what the covariance seems to do
- ``numeric.second_variation.second_variation``  Hessian and metric of an energy on tokens
- ``numeric.stack.evolve``                       flow and residual steps through layers
- ``numeric.plots.plot_stack``                   a picture of them
- ``numeric.precise.flow.covariance_at``         Sigma(t) to any number of digits
- ``numeric.precise.poles.blow_up_time``         when a rational solution ends
- ``numeric.precise.poles.limit_at_infinity``    where it goes otherwise
- ``numeric.precise.velocity.softmax_velocity``  softmax attention from its integrals
- ``numeric.precise.velocity.linear_velocity``   linear attention from its integral
- ``numeric.precise.velocity_l2.l2_velocity``    L2 attention from its integrals
- ``numeric.precise.sinkhorn.sinkhorn_velocity`` Sinkhorn attention by alternating sums
- ``numeric.precise.geodesic.second_difference`` an energy along a geodesic, to many digits
- ``numeric.precise.geodesic.dissipation``       an energy along the tokens' own motion
"""
