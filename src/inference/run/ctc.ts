const MAJORITY = 0.5;

/**
 * Reads the classes of a line, step by step: repeated ones are one character, class 0 is blank (CTC). Returns the mean
 * probability of the characters as the score.
 */
export function decodeCtc(steps: Float32Array, classes: number, characters: readonly string[]) {
  let text = '';
  let [sum, count, previous] = [0, 0, 0];
  for (let start = 0; start < steps.length; start += classes) {
    let best = 0;
    // The values are probabilities: above a half none is higher.
    for (let kind = 1; kind < classes && steps[start + best]! <= MAJORITY; kind++) {
      if (steps[start + kind]! > steps[start + best]!) best = kind;
    }
    if (best !== 0 && best !== previous) {
      text += characters[best] ?? '';
      sum += steps[start + best]!;
      count += 1;
    }
    previous = best;
  }
  return { text, score: count > 0 ? sum / count : 0 };
}
