/** All files of a drop, folders opened. Must be called inside the drop event. */
export function filesOfDrop(transfer: DataTransfer): Promise<File[]> {
  const entries = [...transfer.items]
    .map((item) => item.webkitGetAsEntry?.())
    .filter((entry) => entry !== null && entry !== undefined);
  if (entries.length === 0) return Promise.resolve([...transfer.files]);
  return collect(entries);
}

/** A dropped file does not say itself where it was. */
const folders = new WeakMap<File, string>();
/** The folder within what was dropped or chosen; '' for files chosen one by one. */
export const getFolder = (file: File): string =>
  folders.get(file) ?? file.webkitRelativePath.replace(/\/?[^/]*$/, '');

async function collect(entries: readonly FileSystemEntry[]): Promise<File[]> {
  const found: File[] = [];
  const open = [...entries];
  for (let entry = open.shift(); entry; entry = open.shift()) {
    if (isFile(entry)) {
      const file = await toFile(entry);
      folders.set(file, entry.fullPath.slice(0, entry.fullPath.lastIndexOf('/')));
      found.push(file);
    }
    if (isFolder(entry)) open.push(...(await listChildren(entry)));
  }
  return found;
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

const toFile = (entry: FileSystemFileEntry) =>
  new Promise<File>((done, fail) => entry.file(done, fail));

/** A reader gives some hundred at a time, and an empty list at the end. */
async function listChildren(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, fail) =>
      reader.readEntries(done, fail),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}

const CLUTTER = /^(\.|__MACOSX|thumbs\.db$|desktop\.ini$)/i;
const NOTES = /\.(aae|json|txt|db|ini)$/i;

/**
 * Leaves out what a folder of photos holds beside photos and their XMP files. What was chosen one by one, and empty
 * files, stay: the person is told why they are not uploaded.
 */
export const isWorthSending = (file: File): boolean =>
  !CLUTTER.test(file.name) && !(NOTES.test(file.name) && getFolder(file) !== '');
