// Logits are logarithms of probabilities, all by the same unknown factor.

/** Returns the probability of each index. */
export function softmax(logits: Float32Array): (at: number) => number {
  const top = logits.reduce((most, value) => Math.max(most, value), -Infinity);
  const all = logits.reduce((sum, value) => sum + Math.exp(value - top), 0);
  return (at) => Math.exp(logits[at]! - top) / all;
}

/**
 * Returns the likeliest token and its log probability, the logit of the likeliest one below `firstTime`, and the
 * logarithm of the sum of those from there on, by the same unknown factor.
 */
export function summarizeLogits(logits: Float32Array, firstTime: number) {
  let best = 0;
  let bestWord = -Infinity;
  for (let at = 0; at < logits.length; at++) {
    if (logits[at]! > logits[best]!) best = at;
    if (at < firstTime && logits[at]! > bestWord) bestWord = logits[at]!;
  }
  const top = logits[best]!;
  let [all, late] = [0, 0];
  for (let at = 0; at < logits.length; at++) {
    const share = Math.exp(logits[at]! - top);
    all += share;
    if (at >= firstTime) late += share;
  }
  const logProbability = top - (top + Math.log(all));
  return { best, bestWord, logProbability, times: top + Math.log(late) };
}
