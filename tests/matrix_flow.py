"""The covariance equation integrated by Taylor series in mpmath, without coordinates.

Sigma' = F(Sigma), the sum over heads of V Sigma A Sigma and its transpose. Near a blow-up
Sigma = Y/u with tr Y = 1, in the time tau with dt = u dtau: Y' = F(Y) - g Y, u' = -g u and t' = u
for g = tr F(Y). While Y settles, what is left of the lifetime comes close to u/g.
"""

from fractions import Fraction

from mpmath import mp

GUARD = 10
STEPS = 2000


def exact(rows):
    return [[Fraction(x) for x in row] for row in rows]


def scores(head):
    """A = scale K^T Q, exactly."""
    if "A" in head:
        return exact(head["A"])
    Q, K, factor = exact(head["Q"]), exact(head["K"]), Fraction(head.get("scale", 1))
    places = range(len(Q[0]))
    return [
        [factor * sum(k[i] * q[j] for k, q in zip(K, Q, strict=True)) for j in places]
        for i in places
    ]


def fraction(number):
    """The exact value of a float of mpmath."""
    sign, mantissa, exponent, _ = number._mpf_
    return Fraction(-mantissa if sign else mantissa) * Fraction(2) ** exponent


class Flow:
    """The flow of softmax parameters without mean, to about ``digits`` digits."""

    def __init__(self, parameters, digits, order=None):
        self.digits = digits
        self.order = order or 3 * digits // 2
        heads = parameters.get("heads", [parameters])
        with mp.workdps(digits + GUARD):
            factor = {"scale": parameters.get("scale", 1)}
            self.heads = [(mpf(exact(h["V"])), mpf(scores({**factor, **h}))) for h in heads]
            self.start = mpf(exact(parameters["Sigma0"]))
        self.places = range(len(self.start))

    def blow_up(self):
        """The blow-up time."""
        with mp.workdps(self.digits + GUARD):
            mass = sum(self.start[i][i] for i in self.places)
            Y, u, t = [[x / mass for x in row] for row in self.start], 1 / mass, mp.zero
            last = mp.zero
            for _ in range(STEPS):
                curve, growth, shrinks, passes = self._series(Y, rescaled=True)
                end = t + u / growth if growth > 0 else mp.zero
                if end > 0 and abs(end - last) < mp.mpf(10) ** -self.digits * end:
                    return end
                last, h = end, self._reach(curve)
                Y, t, u = at(curve, h), t + u * mp.polyval(passes, h), u * mp.polyval(shrinks, h)
        raise AssertionError("no blow-up was found")

    def after(self, Sigma, time):
        """Sigma(time), from Sigma(0)."""
        with mp.workdps(self.digits + GUARD):
            left = mp.mpf(time.numerator) / time.denominator
            while left > 0:
                curve = self._series(Sigma)[0]
                h = min(left, self._reach(curve))
                Sigma, left = at(curve, h), left - h
            return Sigma

    def _series(self, Y, rescaled=False):
        """Coefficients of Y, first ones first; g; those of u and t beside u(0), last ones first."""
        curve, pulled, rates, shrinks, passes = [Y], [], [], [mp.one], [mp.zero]
        for k in range(self.order):
            pulled.append(self._pulled(curve[k]))
            half = product_at(pulled, curve, k)
            change = [[half[i][j] + half[j][i] for j in self.places] for i in self.places]
            if rescaled:
                rates.append(sum(change[i][i] for i in self.places))
                for i in self.places:
                    for j in self.places:
                        change[i][j] -= mp.fdot(
                            (rates[m], curve[k - m][i][j]) for m in range(k + 1)
                        )
                slower = mp.fdot((rates[m], shrinks[k - m]) for m in range(k + 1))
                passes.append(shrinks[k] / (k + 1))
                shrinks.append(-slower / (k + 1))
            curve.append([[x / (k + 1) for x in row] for row in change])
        return curve, rates[0] if rates else None, shrinks[::-1], passes[::-1]

    def _pulled(self, Y):
        """The sum of V Y A."""
        products = [multiply(multiply(V, Y), A) for V, A in self.heads]
        return [[sum(one[i][j] for one in products) for j in self.places] for i in self.places]

    def _reach(self, curve):
        """A step after which the last terms of the series are not seen."""
        first, *_, last = (max(abs(x) for row in Y for x in row) for Y in curve)
        if last == 0:
            return mp.one
        return (mp.mpf(10) ** -(self.digits + 2) * first / last) ** (mp.one / self.order)


def mpf(rows):
    return [[mp.mpf(x.numerator) / x.denominator for x in row] for row in rows]


def multiply(left, right):
    return [
        [mp.fdot(zip(row, column, strict=True)) for column in zip(*right, strict=True)]
        for row in left
    ]


def product_at(left, right, k):
    """The coefficient k of a product of two series."""
    places = range(len(left[0]))
    return [
        [
            mp.fdot((left[m][i][c], right[k - m][c][j]) for m in range(k + 1) for c in places)
            for j in places
        ]
        for i in places
    ]


def at(curve, h):
    places = range(len(curve[0]))
    return [[mp.polyval([Y[i][j] for Y in reversed(curve)], h) for j in places] for i in places]
