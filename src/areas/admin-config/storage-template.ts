import Handlebars from 'handlebars';
import { STORAGE_OPTIONS } from './storage-options.ts';

// Immich's storage templates are Handlebars templates, which it compiles and renders once, strictly, for a
// photo of an album. Originals are stored by their content here: a template is kept for its page only.

const { presetOptions: _, ...tokens } = STORAGE_OPTIONS;
const DATES = Object.values(tokens).flat();
/** Names that a template may show. */
const NAMES = [
  'filename',
  'ext',
  'filetype',
  'filetypefull',
  'assetId',
  'assetIdShort',
  'album',
  'make',
  'model',
  'lensModel',
  ...DATES.flatMap((token) => [token, `album-startDate-${token}`, `album-endDate-${token}`]),
];
const PHOTO = Object.fromEntries(NAMES.map((name) => [name, name]));

const handlebars = Handlebars.create();
// Ours writes nothing to the console.
handlebars.registerHelper('log', () => '');

/**
 * A helper that there is not is refused when the template is compiled, and so is `each`: there is no list,
 * and nested over all names it would never end.
 */
const OPTIONS = { strict: true, knownHelpersOnly: true, knownHelpers: { each: false } };

/** Returns whether it can be rendered for a photo of an album. */
export function isStorageTemplate(template: string): boolean {
  try {
    handlebars.compile(template, OPTIONS)(PHOTO);
    return true;
  } catch {
    return false;
  }
}
