const ENTER = '\u001B[?1049h\u001B[?25l';
const LEAVE = '\u001B[?25h\u001B[?1049l';
const HOME = '\u001B[H';
const CLEAR_LINE = '\u001B[K';
const CLEAR_BELOW = '\u001B[J';
/** With Ctrl-C and Ctrl-D as a terminal in raw mode sends them. */
const END_KEYS = ['q', 'Q', '\u0003', '\u0004'];
const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export type Screen = {
  /** Resolves when the user ends it, or a signal does. */
  readonly ended: Promise<void>;
  isEnded(): boolean;
  /** Shows these lines, as far as they fit. */
  draw(lines: readonly string[]): void;
  /** Gives the terminal back as it was. */
  close(): void;
};

/** Takes the terminal of standard output until `close`, or until the process ends. */
export function openScreen(): Screen {
  const { stdin, stdout } = process;
  const ended = Promise.withResolvers<void>();
  let isEnded = false;
  let isOpen = true;
  const end = () => {
    isEnded = true;
    ended.resolve();
  };
  const onKeys = (keys: Buffer) => {
    const text = keys.toString();
    if (END_KEYS.some((key) => text.includes(key))) end();
  };
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    for (const signal of END_SIGNALS) process.off(signal, end);
    process.off('exit', close);
    if (stdin.isTTY) {
      stdin.off('data', onKeys);
      stdin.setRawMode(false);
      stdin.pause();
    }
    stdout.write(LEAVE);
  };
  for (const signal of END_SIGNALS) process.on(signal, end);
  process.on('exit', close);
  if (stdin.isTTY) {
    stdin.setRawMode(true);
    stdin.on('data', onKeys);
  }
  stdout.write(ENTER);
  return {
    ended: ended.promise,
    isEnded: () => isEnded,
    draw(lines) {
      // A serial console does not know its size.
      const [width, height] = [stdout.columns || 80, stdout.rows || 24];
      const shown = lines
        .slice(0, height - 1)
        .map((line) => `${Bun.sliceAnsi(line, 0, width)}${CLEAR_LINE}`);
      stdout.write(`${HOME}${shown.join('\r\n')}\r\n${CLEAR_BELOW}`);
    },
    close,
  };
}
