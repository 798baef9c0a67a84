import { DEFAULTS, type AdminConfig } from '../../src/areas/system-config/index.ts';

type Changes = { readonly [S in keyof AdminConfig]?: Partial<AdminConfig[S]> };

/** The default configuration document with these members of sections. */
export const configWith = (changes: Changes): AdminConfig =>
  Object.fromEntries(
    Object.entries(DEFAULTS).map(([name, section]) => [
      name,
      { ...section, ...changes[name as keyof AdminConfig] },
    ]),
  ) as AdminConfig;
