import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import type { BunPlugin } from 'bun';
import { listMessages } from './messages.ts';

/** Compiles the catalogues of the page where it is bundled: the browser gets no parser of messages. */
export const compileCatalogues: BunPlugin = {
  name: 'compile-catalogues',
  setup(builder) {
    const toModule = (catalogue: Catalogue) =>
      ({ loader: 'json', contents: JSON.stringify(compileCatalogue(catalogue)) }) as const;
    builder.onLoad({ filter: /\/src\/web\/locales\/[\w-]+\.json$/ }, async ({ path }) =>
      toModule((await Bun.file(path).json()) as Catalogue),
    );
    builder.onLoad({ filter: /\/src\/web\/locales\/en\.ts$/ }, () => toModule(readEnglish()));
  },
};

type Catalogue = Readonly<Record<string, string>>;

/** English messages are their own ids. */
export const readEnglish = (): Catalogue =>
  Object.fromEntries(listMessages().map((message) => [message, message]));

type Compiled = ReturnType<typeof compileMessageOrThrow> | string;

/**
 * Returns the compiled messages by id. Plain texts stay texts, and those that are their own id are left
 * out. Throws for a malformed message.
 */
export function compileCatalogue(catalogue: Catalogue): Readonly<Record<string, Compiled>> {
  const compiled: Record<string, Compiled> = {};
  for (const [id, message] of Object.entries(catalogue)) {
    const tokens = compileMessageOrThrow(message);
    const isPlain = tokens.every((token) => typeof token === 'string');
    const text = isPlain ? tokens.join('') : tokens;
    if (text !== id) compiled[id] = text;
  }
  return compiled;
}
