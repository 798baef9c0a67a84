// Evidence beyond labels: how many things a picture shows, and which people. The label 'people' alone does not show that
// they are a family.

export type Evidence = {
  /** Things of a kind, or people, that it shows at least. */
  readonly least?: number;
  /** Whether that number was asked for. */
  readonly isCounted?: true;
  /** People of different sizes or ages. */
  readonly areDifferent?: true;
  /** The age in years that one of the people has at most. */
  readonly oldest?: number;
  /** Nothing tells it. */
  readonly isUnknown?: true;
  /** Colours of the thing, where those of its boxes are known. */
  readonly colours?: readonly string[];
  /** The labels only belong to it: vectors tell more. */
  readonly isBroad?: true;
};

/** Kinds of people, of whom models see that they are people. */
const PEOPLE: Readonly<Record<string, Evidence>> = {
  baby: { oldest: 2 },
  boy: { oldest: 15 },
  child: { oldest: 12 },
  couple: { least: 2, isCounted: true },
  crowd: { least: 6 },
  family: { least: 2, areDifferent: true },
  girl: { oldest: 15 },
  group: { least: 3 },
  kid: { oldest: 12 },
};
/** A boy has a name, but nobody has said that it is one. */
const UNKNOWN: Evidence = { isUnknown: true };
const BROADLY: Evidence = { isUnknown: true, isBroad: true };
const PERSON = 'objects:person';
/** Words for what many scenes have, or most photos of a season. */
const BROAD: ReadonlySet<string> = new Set(['sky', 'summer', 'tree', 'winter']);

/** Returns what has to tell that an English term, given in the singular, is shown; undefined where its labels do. */
export function findEvidence(
  singulars: readonly string[],
  labels: readonly string[],
  count: number | undefined,
): Evidence | undefined {
  const isPeople = labels.length > 0 && labels.every((label) => label === PERSON);
  const isGeneral = singulars.includes('person');
  const known = singulars.flatMap((one) => PEOPLE[one] ?? [])[0] ?? UNKNOWN;
  const isBroad = labels.length > 0 && singulars.some((one) => BROAD.has(one));
  const evidence = isBroad ? BROADLY : isPeople && !isGeneral ? known : undefined;
  if (count === undefined) return evidence;
  // Three men are three at least, whoever they are.
  const counted = { least: count, isCounted: true } as const;
  return evidence?.isUnknown ? counted : { ...evidence, ...counted };
}

const OBJECTS = 'objects:';
const COLOURS = 'colours:';

/** Returns the objects that labels are, of which pictures tell how many they show: a kelpie is a dog. */
export const listObjects = (
  labels: readonly string[],
  listBroader: (label: string) => readonly string[],
): string[] => [
  ...new Set(
    labels.flatMap((label) =>
      label.startsWith(OBJECTS) ? label.slice(OBJECTS.length) : listBroader(label),
    ),
  ),
];

/** The label of a picture that shows as many of an object. */
export const toCountLabel = (count: number, object: string): string => `${count} ${object}`;
/** More are not told apart. */
export const MAX_COUNT = 10;

/** The label of a scene that is likely, but not claimed. */
export const toLikely = (scene: string): string => `${scene}?`;

const SCENES = 'scenes:';

/** Returns labels with those of the same scenes that are not claimed. */
export const withLikely = (labels: readonly string[]): string[] => [
  ...labels,
  ...labels.filter((label) => label.startsWith(SCENES)).map(toLikely),
];

/** The label of a picture that shows an object of a colour. */
export const toColourLabel = (colour: string, object: string): string => `${colour} ${object}`;

type Term = { readonly labels: readonly string[]; readonly evidence?: Evidence | undefined };

/** Adds to a colour that it is one of the thing beside it, before it or behind it: red car, voiture rouge. */
export function joinColours<T extends Term>(
  terms: readonly T[],
  listBroader: (label: string) => readonly string[],
): T[] {
  const joined = [...terms];
  for (const [at, term] of terms.entries()) {
    const { labels } = term;
    const [colour] = labels.filter((label) => label.startsWith(COLOURS));
    if (colour === undefined) continue;
    const name = colour.slice(COLOURS.length);
    const beside = [at + 1, at - 1].find(
      (one) => listObjects(joined[one]?.labels ?? [], listBroader).length > 0,
    );
    const thing = beside === undefined ? undefined : joined[beside];
    if (beside === undefined || !thing) continue;
    const objects = listObjects(thing.labels, listBroader);
    const own = objects.map((object) => COLOURS + toColourLabel(name, object));
    joined[at] = { ...(joined[at] ?? term), labels: [...labels, ...own] };
    const { evidence } = thing;
    const colours = [...(evidence?.colours ?? []), name];
    joined[beside] = { ...thing, evidence: { ...evidence, colours } };
  }
  return joined;
}

/** Whether a picture is known to lack something only where it is known at all. */
export const isOptional = ({ evidence }: Term): boolean =>
  evidence === undefined || Object.keys(evidence).every((key) => key === 'colours');
