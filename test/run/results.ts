/** How a test ended. */
export type Result = {
  readonly file: string;
  /** With the names of its groups; `(unnamed)` for a hook, `(worker crashed)` for the end of the process. */
  readonly name: string;
  readonly wallMs: number;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** The message and the lines of the stack; empty if it did not fail. */
  readonly error: string;
};

/** Returns the tests of a report in the form of JUnit, in their order in each file. */
export function parseJunit(xml: string): Result[] {
  const cases = xml.matchAll(/<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g);
  return [...cases].map(([, attributes, body = '']) => {
    const get = (name: string) => readAttribute(attributes!, name);
    // The report has the innermost group first.
    const groups = get('classname').split(' > ').toReversed();
    const failure = /<failure ([^>]*?)(?:\/>|>([\s\S]*?)<\/failure>)/.exec(body);
    return {
      file: get('file'),
      name: [...groups, get('name')].filter(Boolean).join(' > '),
      wallMs: Number(get('time')) * 1000,
      outcome: failure ? 'failed' : body.includes('<skipped') ? 'skipped' : 'passed',
      error: failure ? unescapeXml(failure[2] ?? '') || readAttribute(failure[1]!, 'message') : '',
    };
  });
}

const readAttribute = (attributes: string, name: string): string =>
  unescapeXml(new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '');

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

const unescapeXml = (text: string): string =>
  text.replaceAll(/&(?:#(\d+)|(\w+));/g, (whole, code: string, name: string) =>
    code ? String.fromCodePoint(Number(code)) : (ENTITIES[name] ?? whole),
  );
