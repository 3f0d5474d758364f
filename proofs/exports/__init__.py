"""What ``lemmaformer export`` writes: LaTeX for a paper, MathML, NumPy functions.

Everything is printed or generated after the kernel has settled the claim, from the objects that it
has checked.
"""
