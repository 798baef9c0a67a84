const INPUTS = ['pointermove', 'pointerdown', 'keydown', 'wheel'] as const;

let lastAt = performance.now();

/** Call once: from then on it is known when the person last did something on this page. */
export function trackUserInput(): void {
  for (const name of INPUTS) {
    window.addEventListener(name, () => void (lastAt = performance.now()), { passive: true });
  }
}

export const msSinceUserInput = (): number => performance.now() - lastAt;
