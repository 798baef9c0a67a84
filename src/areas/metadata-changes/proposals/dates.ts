import { DateTime } from 'luxon';
import { parseFileNameDate } from '../../../media/file-name-date.ts';

/** The clock where something was taken: a day, and the time if it is known. */
export type ProposedClock = { readonly day: string; readonly time: string };

const NOON = '12:00:00';
/** '20190812', '2019-08-12', '2019_08_12', '2019.08.12' between signs; looser than the names that files are dated by. */
const YEAR_FIRST = /(?<!\d)((?:19|20)\d\d)([-_. ]?)(\d\d)\2(\d\d)(?!\d)/;
/** '12.08.2019', as people write it in many countries. */
const DAY_FIRST = /(?<!\d)(\d\d)\.(\d\d)\.((?:19|20)\d\d)(?!\d)/;

/** Returns the date in the name of a file; `zone` is where its clock is. */
export function findDateInName(
  fileName: string,
  zone: string | null,
  now: Date,
): ProposedClock | undefined {
  const found = parseFileNameDate(fileName, now.getTime());
  if (!found) return findDay(fileName, now);
  const { clock, isUtc } = found;
  const at = DateTime.fromObject(clock, { zone: 'UTC' });
  const local = isUtc && zone !== null ? at.setZone(zone) : at;
  return { day: local.toFormat('yyyy-MM-dd'), time: local.toFormat('HH:mm:ss') };
}

/** Returns the day in the name of a folder or of one above it, the nearest first. */
export function findDateInFolder(folder: string, now: Date): ProposedClock | undefined {
  for (const name of folder.split('/').reverse()) {
    const found = findDay(name, now);
    if (found) return found;
  }
  return undefined;
}

function findDay(text: string, now: Date): ProposedClock | undefined {
  const name = text.slice(0, 255);
  const first = YEAR_FIRST.exec(name);
  const last = first ? undefined : DAY_FIRST.exec(name);
  const parts = first
    ? [first[1], first[3], first[4]]
    : last
      ? [last[3], last[2], last[1]]
      : undefined;
  if (!parts) return undefined;
  const day = parts.join('-');
  const at = DateTime.fromISO(day, { zone: 'UTC' });
  return at.isValid && at.toMillis() <= now.getTime() ? { day, time: NOON } : undefined;
}

/** An item that was uploaded just before or after, and whose date is known. */
export type Neighbour = {
  /** As 'YYYY-MM-DDTHH:MM:SS'. */
  readonly local: string;
  readonly timeZone: string | null;
};

const FEWEST_NEIGHBOURS = 2;

/** Returns the clock of the nearest neighbour, if all are of one day. */
export function findDateOfNeighbours(neighbours: readonly Neighbour[]): ProposedClock | undefined {
  const [nearest] = neighbours;
  if (!nearest || neighbours.length < FEWEST_NEIGHBOURS) return undefined;
  const day = nearest.local.slice(0, 10);
  if (neighbours.some(({ local }) => local.slice(0, 10) !== day)) return undefined;
  return { day, time: nearest.local.slice(11, 19) };
}
