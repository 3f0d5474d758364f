"""What is computed: parameters, flows and high-precision cross-checks.

The package itself imports nothing, so that reading a parameter file stays cheap; import the
module you need.
"""
