import type { Box, Control, Layer } from './layer-measures.ts';

// Faults of a dialog or a menu that no accessibility test sees: sizes, places, order, cut and broken texts.

type Options = {
  /** Whether fingers touch it. */
  isTouch: boolean;
  /** Whether it has just been opened: its focus is judged. */
  isNew: boolean;
  /** The words of the page in its language; names that people have given may be cut or broken. */
  words: ReadonlySet<string>;
};

/** Parts of a pixel are no fault. */
const SLACK = 1;
const MOST_LABEL_DISTANCE = 24;
/** As large as a finger needs it (WCAG 2.2, 2.5.5). */
const LEAST_TOUCHED = 44;

export function listLayerFaults(layer: Layer, options: Options): string[] {
  return [
    ...listBoxFaults(layer),
    ...layer.controls.flatMap((control) => [
      ...listPlaceFaults(control, layer),
      ...listSizeFaults(control, options.isTouch),
      ...listLabelFaults(control),
    ]),
    ...listTextFaults(layer, options.words),
    ...layer.overlaps.map(({ first, second }) => `“${first}” and “${second}” overlap`),
    ...(options.isNew ? listFocusFaults(layer) : []),
    ...listOrderFaults(layer.controls.filter(({ isTabbable }) => isTabbable)),
  ];
}

const isWithin = (inner: Box, outer: Box, axis: 'x' | 'y'): boolean =>
  axis === 'x'
    ? inner.left >= outer.left - SLACK && inner.right <= outer.right + SLACK
    : inner.top >= outer.top - SLACK && inner.bottom <= outer.bottom + SLACK;

/** The part of the width and of the height of the window from which a layer is taken for full-screen. */
const FULL_SCREEN_SHARE = 0.93;

const describeBox = ({ left, top, right, bottom }: Box): string =>
  `${[left, top].map(Math.round).join()} to ${[right, bottom].map(Math.round).join()}`;

function listBoxFaults({ box, window, tooWide }: Layer): string[] {
  const all = { left: 0, top: 0, right: window.width, bottom: window.height };
  return [
    ...(isWithin(box, all, 'x') && isWithin(box, all, 'y')
      ? []
      : [`outside of the window: ${describeBox(box)}`]),
    ...(leavesEdge(box, window) ? [`leaves an edge of the window: ${describeBox(box)}`] : []),
    ...(tooWide > 0 ? [`${tooWide} px are scrolled sideways`] : []),
  ];
}

function leavesEdge(box: Box, window: Layer['window']): boolean {
  const width = box.right - box.left;
  const height = box.bottom - box.top;
  return (
    width > window.width * FULL_SCREEN_SHARE &&
    height > window.height * FULL_SCREEN_SHARE &&
    (width < window.width - SLACK || height < window.height - SLACK)
  );
}

function listPlaceFaults({ name, box, scrolls, isInFooter }: Control, layer: Layer): string[] {
  const isInside =
    (scrolls.x || isWithin(box, layer.box, 'x')) &&
    ((scrolls.y && !isInFooter) || isWithin(box, layer.box, 'y'));
  return isInside ? [] : [`“${name}” is outside of its box: ${describeBox(box)}`];
}

function listSizeFaults({ name, kind, box, label }: Control, isTouch: boolean): string[] {
  const width = Math.round(box.right - box.left);
  const height = Math.round(box.bottom - box.top);
  const size = `“${name}” is ${width} by ${height} px`;
  if (kind === 'checkbox') {
    // One without a label is a picture or a color that is chosen.
    const isSmall = width >= 16 && width <= 24 && height >= 16 && height <= 24;
    return label === null || isSmall ? [] : [`${size}, a checkbox`];
  }
  if (!isTouch || kind === 'link') return [];
  return height < LEAST_TOUCHED ? [`${size}, too small to touch`] : [];
}

function listLabelFaults({ name, kind, box, label }: Control): string[] {
  if (!label || kind === 'button') return [];
  const x = Math.max(label.left - box.right, box.left - label.right, 0);
  const y = Math.max(label.top - box.bottom, box.top - label.bottom, 0);
  const distance = Math.round(Math.hypot(x, y));
  return distance > MOST_LABEL_DISTANCE ? [`${distance} px from “${name}” to its label`] : [];
}

const toWords = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

function listTextFaults({ texts }: Layer, words: ReadonlySet<string>): string[] {
  const isOurs = (text: string) => toWords(text).every((word) => words.has(word));
  return texts.flatMap(({ text, isCut, isShortened, broken }) => [
    ...(isCut && (!isShortened || isOurs(text)) ? [`“${text}” is cut`] : []),
    ...broken.filter(isOurs).map((word) => `“${word}” is broken in “${text}”`),
  ]);
}

function listFocusFaults({ controls, hasFocus }: Layer): string[] {
  if (!hasFocus) return ['nothing in it has the focus'];
  const focused = controls.find(({ isFocused }) => isFocused);
  const isField = ({ kind, isInForm, isTabbable }: Control) =>
    (kind === 'field' || kind === 'checkbox') && isInForm && isTabbable;
  const [first] = controls.filter(isField);
  if (!first || first.isFocused) return [];
  return [`the focus is on “${focused?.name}”, not on the first field, “${first.name}”`];
}

/** From top to bottom, and in a line from left to right. */
function listOrderFaults(controls: readonly Control[]): string[] {
  return controls.slice(1).flatMap((control, at) => {
    const before = controls[at]!;
    // Buttons of a footer stay in view, whatever is scrolled behind them.
    if (control.isInFooter !== before.isInFooter) return [];
    const isAbove = control.box.bottom <= before.box.top + SLACK;
    const isBesides = control.box.left >= before.box.right - SLACK;
    const isInLine =
      control.box.top < before.box.bottom - SLACK && control.box.bottom > before.box.top + SLACK;
    const isBefore = control.box.right <= before.box.left + SLACK;
    return (isAbove && !isBesides) || (isInLine && isBefore)
      ? [`“${control.name}” follows “${before.name}”, but stands before it`]
      : [];
  });
}
