import { basename, sep } from 'node:path';
import { type Facts, isLocked } from '../facts.ts';

// Takeout writes the items of the trash and of the locked folder into folders of their own, whose names are those in
// the language of the account.

const TRASH = [
  'Trash', // English
  'Bin', // English (United Kingdom)
  'Papierkorb', // German
  'Corbeille', // French
  'Papelera', // Spanish, Catalan (some)
  'Paperera', // Catalan
  'Lixeira', // Portuguese (Brazil)
  'Lixo', // Portuguese
  'Reciclagem', // Portuguese
  'Cestino', // Italian
  'Prullenbak', // Dutch
  'Kosz', // Polish
  'Papperskorg', // Swedish
  'Papperskorgen', // Swedish
  'Papirkurv', // Danish
  'Papirkurven', // Danish
  'Papirkurv', // Norwegian
  'Søppelbøtte', // Norwegian
  'Roskakori', // Finnish
  'Koš', // Czech, Slovenian
  'Kôš', // Slovak
  'Kuka', // Hungarian
  'Lomtár', // Hungarian
  'Coș de gunoi', // Romanian
  'Çöp kutusu', // Turkish
  'Корзина', // Russian
  'Кошик', // Ukrainian
  'Κάδος απορριμμάτων', // Greek
  'Κάδος', // Greek
  'Thùng rác', // Vietnamese
  'Sampah', // Indonesian
  'ถังขยะ', // Thai
  'ゴミ箱', // Japanese
  '휴지통', // Korean
  '回收站', // Chinese
  '垃圾桶', // Chinese (Taiwan)
  '垃圾箱', // Chinese
  'אשפה', // Hebrew
  'سلة المهملات', // Arabic
  'ट्रैश', // Hindi
];

const LOCKED = [
  'Locked Folder', // English
  'Gesperrter Ordner', // German
  'Dossier verrouillé', // French
  'Carpeta bloqueada', // Spanish
  'Carpeta privada', // Spanish
  'Carpeta bloquejada', // Catalan
  'Pasta trancada', // Portuguese (Brazil)
  'Pasta bloqueada', // Portuguese
  'Cartella bloccata', // Italian
  'Cartella protetta', // Italian
  'Vergrendelde map', // Dutch
  'Folder zablokowany', // Polish
  'Zablokowany folder', // Polish
  'Låst mapp', // Swedish
  'Låst mappe', // Danish, Norwegian
  'Lukittu kansio', // Finnish
  'Uzamčená složka', // Czech
  'Uzamknutý priečinok', // Slovak
  'Zárolt mappa', // Hungarian
  'Dosar blocat', // Romanian
  'Kilitli Klasör', // Turkish
  'Личная папка', // Russian
  'Папка с блокировкой', // Russian
  'Заблокована папка', // Ukrainian
  'Κλειδωμένος φάκελος', // Greek
  'Thư mục khóa', // Vietnamese
  'Folder Terkunci', // Indonesian
  'โฟลเดอร์ที่ล็อก', // Thai
  'ロックされたフォルダ', // Japanese
  '잠긴 폴더', // Korean
  '已锁定的文件夹', // Chinese
  '锁定的文件夹', // Chinese
  '上鎖的資料夾', // Chinese (Taiwan)
  'תיקייה נעולה', // Hebrew
  'المجلد المقفل', // Arabic
  'लॉक किया गया फ़ोल्डर', // Hindi
];

export type PrivateKind = 'trash' | 'locked';

/** Letters only, in lower case: the part of an export may end its name with a counter. */
const toKey = (name: string): string =>
  name
    .normalize('NFC')
    .replace(/\s*\(\d+\)$/, '')
    .replaceAll('_', ' ')
    .toLowerCase();

const KINDS: ReadonlyMap<string, PrivateKind> = new Map([
  ...TRASH.map((name) => [toKey(name), 'trash'] as const),
  ...LOCKED.map((name) => [toKey(name), 'locked'] as const),
]);

/** Returns whether the name of a folder is that of the trash or of the locked folder in some language. */
export const findPrivateKind = (path: string): PrivateKind | undefined =>
  KINDS.get(toKey(basename(path)));

/** Whether the path leads through a folder that an export of Google is unpacked to. */
export const isInTakeout = (path: string): boolean =>
  path.split(sep).some((name) => /^takeout|\bGoogle\b/i.test(name.normalize('NFC')));

/**
 * Returns what the facts about the files of a folder say about the others in it. `named` is what its name says, which
 * counts where they do not agree or there are none.
 */
export function judgeFolder(
  neighbours: readonly Facts[],
  named: PrivateKind | undefined,
): PrivateKind | undefined {
  const trashed = neighbours.filter(({ isTrashed }) => isTrashed).length;
  const locked = neighbours.filter((facts) => !facts.isTrashed && isLocked(facts)).length;
  const total = neighbours.length;
  if (total === 0) return named;
  if (trashed === total) return 'trash';
  if (trashed + locked === total) return 'locked';
  return trashed + locked > 0 ? named : undefined;
}
