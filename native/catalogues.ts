import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import type { BunPlugin } from 'bun';

/** Compiles the catalogues of the page where it is bundled: the browser gets no parser of messages. */
export const compileCatalogues: BunPlugin = {
  name: 'compile-catalogues',
  setup(builder) {
    builder.onLoad({ filter: /\/src\/web\/locales\/[\w-]+\.json$/ }, async ({ path }) => {
      const catalogue = (await Bun.file(path).json()) as Readonly<Record<string, string>>;
      return { loader: 'json', contents: JSON.stringify(compileCatalogue(catalogue)) };
    });
  },
};

type Compiled = ReturnType<typeof compileMessageOrThrow> | string;

/**
 * Returns the compiled messages by id. Plain texts stay texts, and those that are their own id are left
 * out. Throws for a malformed message.
 */
export function compileCatalogue(
  catalogue: Readonly<Record<string, string>>,
): Readonly<Record<string, Compiled>> {
  const compiled: Record<string, Compiled> = {};
  for (const [id, message] of Object.entries(catalogue)) {
    const tokens = compileMessageOrThrow(message);
    const isPlain = tokens.every((token) => typeof token === 'string');
    const text = isPlain ? tokens.join('') : tokens;
    if (text !== id) compiled[id] = text;
  }
  return compiled;
}
