const INPUTS = ['pointermove', 'pointerdown', 'keydown', 'wheel'] as const;

let lastAt = performance.now();
let hasPressed = false;

/** Call once: from then on it is known when the person last did something on this page. */
export function trackUserInput(): void {
  for (const name of INPUTS) {
    window.addEventListener(name, () => void (lastAt = performance.now()), { passive: true });
  }
  for (const name of ['pointerdown', 'keydown'] as const) {
    window.addEventListener(name, () => void (hasPressed = true), { once: true, capture: true });
  }
}

/** Whether a key or a button was pressed since the page was loaded: until then the focus is left alone. */
export const wasPageUsed = (): boolean => hasPressed;

export const msSinceUserInput = (): number => performance.now() - lastAt;
