import { stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { findAccountSession } from '../../access/account-session.ts';
import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { AppError, invalidField } from '../../core/errors.ts';
import { type ImportReport, importFolder, inspectFolder } from '../imports/index.ts';
import { findPathFault, normalizeFolder } from '../libraries/index.ts';
import { findUser } from '../users/index.ts';
import type { FolderMoveIn } from './kind.ts';
import { prepareMoveIn } from './prepare.domain.ts';
import type { Run } from './progress.ts';
import type { FolderFault, MoveIn, MoveInFolderDto } from './schemas.ts';

/** Somebody waits for the answer. */
const CHECK_MS = 15_000;

/** A folder that cannot be taken in now. */
export class FolderUnavailable extends Error {
  readonly code: FolderFault;
  constructor(code: FolderFault, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Looks at a folder of this machine. Throws 400 that names the folder or the account, 409 for an account with too many
 * moves that are not over.
 */
export async function createFolderMoveIn(
  ctx: Ctx,
  { path, ownerId, ...dto }: typeof MoveInFolderDto.static,
): Promise<MoveIn> {
  const { userId } = requireUser(ctx.session);
  const owner = await findUser(ctx.db, ownerId ?? userId);
  if (!owner || owner.deletedAt) throw invalidField('ownerId', 'Unknown account');
  await requireFolder(ctx, path).catch((error: unknown) => {
    if (!(error instanceof FolderUnavailable)) throw error;
    const { code, message } = error;
    const errors = [{ code, path: ['path'], message }];
    throw new AppError('badRequest', message, { code, detail: { errors } });
  });
  const root = normalizeFolder(path);
  const options = {
    namesAlbums: dto.albumsFromFolders ?? false,
    tagsPeople: dto.peopleAsTags ?? false,
    trustsDates: dto.trustExportDates ?? false,
  };
  const { program, ...counts } = await inspectFolder(root, { ...options, ms: CHECK_MS });
  const found = { ...counts, tags: 0, people: null };
  return prepareMoveIn(ctx, { path: root, program, ownerId: owner.id, ...options, found });
}

/** Throws FolderUnavailable for one that cannot be read, or that holds, or is held by, the data folder. */
async function requireFolder({ paths }: Pick<Ctx, 'paths'>, path: string): Promise<void> {
  const fault = await findPathFault(paths, path);
  if (fault === undefined) return;
  const code = /ENOENT|ENOTDIR/.test(fault)
    ? 'folder_missing'
    : /permission|EACCES|EPERM/.test(fault)
      ? 'folder_denied'
      : 'folder_refused';
  throw new FolderUnavailable(code, fault);
}

/**
 * Takes in the folder. Throws FolderUnavailable where it is gone, or has gone meanwhile: what was refused then is no
 * fault of the files.
 */
export async function takeInFolder(
  ctx: Parameters<typeof importFolder>[0],
  { payload }: FolderMoveIn,
  { signal, progress }: Run,
): Promise<ImportReport> {
  const { path } = payload;
  await requireFolder(ctx, path);
  const before = await identify(path);
  const report = await importInto(ctx, payload, { signal, progress });
  if (report.refused > 0 && (await identify(path)) !== before) {
    throw new FolderUnavailable('folder_missing', 'The folder has gone');
  }
  return report;
}

type Target = Omit<FolderMoveIn['payload'], 'found' | 'program'>;

/** Takes in a folder that is there. */
export async function importInto(
  ctx: Parameters<typeof importFolder>[0],
  { path, ownerId, namesAlbums, tagsPeople, trustsDates = false }: Target,
  { signal, progress }: Run,
): Promise<ImportReport> {
  // Notes may be about people and albums.
  const toRelative = (file: string) =>
    file.startsWith(`${path}${sep}`) ? file.slice(path.length + 1) : file;
  const report = await importFolder(
    ctx,
    { ownerId, root: path },
    { namesAlbums, tagsPeople, trustsDates },
    {
      signal,
      onProgress(assets, _total, report) {
        progress.set({ assets });
        progress.setReport(report);
      },
      onRefused: (refusal) => progress.addFailure({ ...refusal, path: toRelative(refusal.path) }),
      onNoted: (note) => progress.addNote({ ...note, path: toRelative(note.path) }),
    },
  );
  progress.set({ albums: report.albums });
  return report;
}

/** Another one when something else is mounted there. */
const identify = (path: string): Promise<string | undefined> =>
  stat(path).then(
    ({ dev, ino }) => `${dev} ${ino}`,
    () => undefined,
  );

/** Returns the session of the account that gets the files, as long as the one that has asked for it may do so. */
export async function findOwnerSession(
  { db }: Pick<Ctx, 'db'>,
  { accountId, payload }: FolderMoveIn,
) {
  const asking = await findAccountSession(db, accountId);
  return asking?.isAdmin ? findAccountSession(db, payload.ownerId) : undefined;
}
