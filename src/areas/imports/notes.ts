import type { DateSource } from '../../media/date-rules.ts';
import type { Facts } from './facts.ts';

/** Reasons why a file, or an entry of an album, is listed by name; each with its English text. */
const REASONS = {
  facts_missing: 'the export has no facts about it',
  facts_of_photo: 'the export has no facts about it, and those of the photo of its name count',
  date_missing: 'neither the export nor the file tells its date',
  album_missing: 'its folder is an album without a title',
  file_missing: 'there is no file of this name for the album',
  file_absent: 'the export describes it, and has no file of it',
  album_left: 'comments and places of the album are not taken',
  link_left: 'a symbolic link that leads to no photo or video of the folder, and is not followed',
  packed: 'an archive that is not unpacked',
  file_ambiguous: 'several files have this name, and none gets into the album',
  value_odd: 'a value of the export is none that can be stored',
  person_left: 'a person whose name is not taken; names become tags if that is asked for',
  locked_unseen: 'what is locked there is not shown to an API key, and stays behind',
  trashed_there: 'left out, since it is in the trash there',
  link: 'a shared link, which stays behind',
  memory: 'a saved memory, which stays behind',
  partner: 'a partner, who stays behind',
  members: 'an album that is shared there: its members and comments stay behind',
  not_told: 'the API key may not list what of this stays behind',
  in_trash: 'left out, since its folder is the trash of the export',
  locked: 'locked, since its folder is the locked folder of the export',
} as const;
export type NoteReason = keyof typeof REASONS;

const DATE_SOURCES = {
  export: 'the export',
  photo: 'the photo of its name',
  file: 'the file',
  name: 'the name of the file',
  modified: 'the time at which the file was changed',
} as const;
export type NotedDateSource = keyof typeof DATE_SOURCES;

/** A file of the folder that is imported, or an entry of a list, about which the export does not say all. */
export type ImportNote = {
  readonly path: string;
  readonly reasons: readonly NoteReason[];
  /** Where the date of the file is from. */
  readonly dateSource?: NotedDateSource;
  /** Title of the album whose entry it is. */
  readonly album?: string;
};

/** Returns the note in English. */
export function describeNote({ reasons, dateSource, album }: Omit<ImportNote, 'path'>): string {
  const texts: string[] = reasons.map((reason) => REASONS[reason]);
  if (album !== undefined) texts.push(`album: ${album}`);
  if (dateSource) texts.push(`date: from ${DATE_SOURCES[dateSource]}`);
  return texts.join('; ');
}

/** Returns where the library has the date of a file from; `source` is what the rules of metadata chose. */
export function toNotedSource(source: DateSource, { basis }: Facts): NotedDateSource {
  if (source === 'Export') return basis === 'photo' ? 'photo' : 'export';
  if (source === 'FileModified') return 'modified';
  return source === 'FileName' ? 'name' : 'file';
}
