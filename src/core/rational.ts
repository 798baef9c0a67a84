/** A time in seconds, or a rate, without rounding. The denominator is positive. */
export type Rational = { readonly numerator: bigint; readonly denominator: bigint };

/** A rational as JSON has it. */
export type WireRational = { readonly numerator: number; readonly denominator: number };

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b));

/** Returns the rational in lowest terms. */
export function rational(numerator: bigint, denominator = 1n): Rational {
  const divisor = gcd(numerator < 0n ? -numerator : numerator, denominator) || 1n;
  return { numerator: numerator / divisor, denominator: denominator / divisor };
}

export const ZERO = rational(0n);

export const toRational = ({ numerator, denominator }: WireRational): Rational =>
  rational(BigInt(numerator), BigInt(denominator));

export const toWire = ({ numerator, denominator }: Rational): WireRational => ({
  numerator: Number(numerator),
  denominator: Number(denominator),
});

export const add = (a: Rational, b: Rational): Rational =>
  rational(
    a.numerator * b.denominator + b.numerator * a.denominator,
    a.denominator * b.denominator,
  );

export const subtract = (a: Rational, b: Rational): Rational =>
  add(a, { numerator: -b.numerator, denominator: b.denominator });

export const multiply = (a: Rational, b: Rational): Rational =>
  rational(a.numerator * b.numerator, a.denominator * b.denominator);

/** Returns a negative number, 0 or a positive one, as sort functions do. */
export const compare = (a: Rational, b: Rational): number => {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
};

/** Returns the least integer that is not smaller. */
export function ceil({ numerator, denominator }: Rational): bigint {
  const floor = numerator / denominator;
  return numerator > floor * denominator ? floor + 1n : floor;
}

export const divide = (a: Rational, b: Rational): Rational =>
  rational(a.numerator * b.denominator, a.denominator * b.numerator);

export const toSeconds = ({ numerator, denominator }: Rational): number =>
  Number(numerator) / Number(denominator);
