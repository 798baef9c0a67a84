import { STORAGE_OPTIONS } from './storage-options.ts';

// Immich's storage templates are Handlebars templates, which it compiles and renders once, strictly, for a
// photo of an album. Originals are stored by their content here: a template is kept for its page only.

const { presetOptions: _, ...tokens } = STORAGE_OPTIONS;
const DATES = Object.values(tokens).flat();
/** Names that a template may show. */
const VALUES = new Set([
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
]);

/** An open block, of which one part is being read. */
type Block = {
  readonly name: string;
  /** Whether this part is rendered. */
  readonly isShown: boolean;
  /** Whether this part or one before it is. */
  readonly isDecided: boolean;
  readonly isElse: boolean;
};

const TAG = /\{\{(?:!--[^]*?--\}\}|![^]*?\}\}|\{([^{}]*)\}\}\}|~?\s*([#/^&]?)([^{}]*?)~?\}\})/y;

/**
 * Returns whether a template can be rendered: blocks are closed, and each value that is shown for a photo of an
 * album has a name that there is. Blocks other than `if` and `unless`, and helpers, are none.
 */
export function isStorageTemplate(template: string): boolean {
  const blocks: Block[] = [];
  for (let at = template.indexOf('{{'); at >= 0; at = template.indexOf('{{', TAG.lastIndex)) {
    TAG.lastIndex = at;
    const tag = TAG.exec(template);
    if (!tag) return false;
    const [, unescaped, sign = '', text = unescaped] = tag;
    if (text !== undefined && !readTag(blocks, sign, text.trim())) return false;
  }
  return blocks.length === 0;
}

/** Returns false for a tag that cannot be rendered where it is. */
function readTag(blocks: Block[], sign: string, text: string): boolean {
  const isShown = blocks.every((block) => block.isShown);
  if (sign === '#') return openBlock(blocks, text);
  if (sign === '/') return blocks.pop()?.name === text;
  const isElse = (sign === '^' && text === '') || (sign === '' && /^else\b/.test(text));
  if (isElse) return openElse(blocks, text);
  if (sign === '^') return false;
  return /^[\w-]+$/.test(text) && (!isShown || VALUES.has(text));
}

const CONDITION = /^(if|unless)\s+([\w-]+)$/;

function openBlock(blocks: Block[], text: string): boolean {
  const isTrue = readCondition(text);
  if (isTrue === undefined) return false;
  const name = text.slice(0, text.search(/\s/));
  blocks.push({ name, isShown: isTrue, isDecided: isTrue, isElse: false });
  return true;
}

function openElse(blocks: Block[], text: string): boolean {
  const before = blocks.pop();
  const condition = text.replace(/^else\s*/, '');
  const isTrue = condition === '' || readCondition(condition);
  if (!before || before.isElse || isTrue === undefined) return false;
  blocks.push({
    name: before.name,
    isShown: isTrue && !before.isDecided,
    isDecided: isTrue || before.isDecided,
    isElse: condition === '',
  });
  return true;
}

/** Returns whether a condition holds; undefined for what is none. A name that there is not is not refused. */
function readCondition(text: string): boolean | undefined {
  const [, name, value] = CONDITION.exec(text) ?? [];
  return value === undefined ? undefined : VALUES.has(value) === (name === 'if');
}
