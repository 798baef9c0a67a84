/** The command line or a setting is invalid: the text names it; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command cannot be carried out, for a reason that the text explains: exit code 1, no stack. */
export class Failure extends Error {
  override readonly name: string = 'Failure';
}

export type Flag = {
  /** With its dashes. */
  readonly flag: string;
  /** Name of the value in the help text; a flag without one is a switch. */
  readonly placeholder?: string;
  readonly doc: string;
};

export type CommandLine = {
  /** Value by flag; switches are 'true'. A flag given twice keeps its last value. */
  readonly flags: ReadonlyMap<string, string>;
  readonly words: readonly string[];
};

/**
 * Splits `--flag value`, `--flag=value`, switches and plain words, which may be negative numbers; `--` ends
 * the flags.
 */
export function parseCommandLine(argv: readonly string[], known: readonly Flag[]): CommandLine {
  const flags = new Map<string, string>();
  const words: string[] = [];
  const left = argv.values();
  for (const argument of left) {
    if (argument === '--') return { flags, words: [...words, ...left] };
    if (!/^-[^\d]/.test(argument)) {
      words.push(argument);
      continue;
    }
    const [name, inline] = splitOnce(argument, '=');
    const spec = known.find((flag) => flag.flag === name);
    if (!spec) throw new UsageError(`Unknown flag ${name}`);
    if (!spec.placeholder) {
      if (inline !== undefined) throw new UsageError(`${name} takes no value`);
      flags.set(name, 'true');
      continue;
    }
    const value = inline ?? left.next().value;
    if (value === undefined) throw new UsageError(`${name} needs a value: ${spec.placeholder}`);
    flags.set(name, value);
  }
  return { flags, words };
}

/** The lines of a help text: flag, then what it does, in two columns. */
export function describeFlags(flags: readonly Flag[]): string {
  const lines = flags.map(({ flag, placeholder, doc }) => ({
    left: `  ${flag} ${placeholder ?? ''}`.trimEnd(),
    doc,
  }));
  const width = Math.max(...lines.map(({ left }) => left.length)) + 2;
  return lines.map(({ left, doc }) => `${left.padEnd(width)}${doc}`).join('\n');
}

function splitOnce(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
