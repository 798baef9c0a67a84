import { invalidField } from '../../../core/errors.ts';
import type { Facts } from '../runs/facts.ts';

/** Words of a template by their names, as {{year}}. */
const VALUES: Readonly<Record<string, (facts: Facts) => string | null>> = {
  year: ({ localTakenAt }) => localTakenAt.slice(0, 4),
  month: ({ localTakenAt }) => localTakenAt.slice(5, 7),
  day: ({ localTakenAt }) => localTakenAt.slice(8, 10),
  city: ({ city }) => city,
  state: ({ state }) => state,
  country: ({ country }) => country,
  make: ({ make }) => make,
  model: ({ model }) => model,
  type: ({ type }) => type.toLowerCase(),
};

/** The names that descriptions list. */
export const PLACEHOLDERS =
  '{{year}}, {{month}}, {{day}}, {{city}}, {{state}}, {{country}}, {{make}}, {{model}}';

const PLACEHOLDER = /\{\{\s*(\w*)\s*\}\}/g;

/** Throws 400 for a placeholder that does not exist. */
export function requireKnownPlaceholders(template: string, path: string): void {
  for (const [, name = ''] of template.matchAll(PLACEHOLDER)) {
    if (!Object.hasOwn(VALUES, name)) throw invalidField(path, `Unknown placeholder {{${name}}}`);
  }
}

/** Fills in a text; a value that the item lacks leaves a gap. */
export const fillText = (text: string, facts: Facts): string =>
  text.replaceAll(PLACEHOLDER, (_, name: string) => VALUES[name]?.(facts) ?? '').trim();

/**
 * Fills in a name, as '{{year}}/{{city}}'. Undefined when the item lacks one of the values: a name with
 * a gap would collect what does not belong together.
 */
export function fillTemplate(template: string, facts: Facts): string | undefined {
  let isComplete = true;
  const name = template.replaceAll(PLACEHOLDER, (_, placeholder: string) => {
    const value = VALUES[placeholder]?.(facts);
    if (!value) isComplete = false;
    return value ?? '';
  });
  return isComplete && name.trim() !== '' ? name.trim() : undefined;
}
