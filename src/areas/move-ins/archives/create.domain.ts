import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { AppError, conflict } from '../../../core/errors.ts';
import * as operations from '../../../operations/store.ts';
import { getStagingId } from '../../../staging/staging.ts';
import { measureRoom } from '../../imports/index.ts';
import { isFromArchives, moveInKind, sumSizes } from '../kind.ts';
import { ARCHIVES_LIFETIME_MS, prepareMoveIn } from '../prepare.domain.ts';
import type { MoveIn, MoveInArchivesDto } from '../schemas.ts';

const OPEN: readonly string[] = ['prepared', 'queued', 'running', 'failed'];

/**
 * Prepares a move from ZIP files, whose bytes come later. Throws 400 for files of another kind, 409 while another move has
 * archives of the account, 413 or 507 where there is no room.
 */
export async function createArchivesMoveIn(
  ctx: Ctx,
  { archives, ...dto }: typeof MoveInArchivesDto.static,
): Promise<MoveIn> {
  const { userId } = requireUser(ctx.session);
  for (const [at, { name }] of archives.entries()) requireZip(name, at);
  await operations.expireOperations(ctx.db, [moveInKind], ctx.now(), userId);
  const all = await operations.listOperations(ctx.db, moveInKind, userId, operations.KEPT);
  if (all.some((one) => isFromArchives(one) && OPEN.includes(one.state))) {
    throw conflict('Another move of the account has archives here', { code: 'archives_open' });
  }
  await requireRoom(ctx, userId, archives);
  const payload = {
    archives: archives.map(({ name, size }) => ({ name, size })),
    stagingId: getStagingId(ctx.paths) ?? null,
    namesAlbums: dto.albumsFromFolders ?? false,
    tagsPeople: dto.peopleAsTags ?? false,
    trustsDates: dto.trustExportDates ?? false,
  };
  return prepareMoveIn(ctx, payload, ARCHIVES_LIFETIME_MS);
}

function requireZip(name: string, at: number): void {
  if (/\.zip$/i.test(name)) return;
  const isTar = /\.(?:tgz|tar|tar\.gz|gz)$/i.test(name);
  const code = isTar ? 'archive_tgz' : 'archive_not_zip';
  const message = isTar
    ? 'Choose ZIP when you order the export: other archives cannot be read'
    : 'The file is no ZIP archive';
  throw new AppError('badRequest', message, {
    code,
    detail: { errors: [{ code, path: ['archives', at, 'name'], message }] },
  });
}

/**
 * The archives are on the disk together, and what is unpacked of the first one beside them. Copies in the library may need
 * as much again, which the check tells.
 */
async function requireRoom(
  ctx: Ctx,
  userId: string,
  archives: readonly { readonly size: number }[],
): Promise<void> {
  const { quotaBytes, diskBytes } = await measureRoom(ctx, userId);
  const bytes = sumSizes(archives);
  if (bytes > quotaBytes) {
    const message = `The storage quota lacks ${bytes - quotaBytes} bytes for these files`;
    throw new AppError('tooLarge', message, { code: 'quota_exceeded' });
  }
  const needed = bytes + Math.max(...archives.map(({ size }) => size));
  if (needed <= diskBytes) return;
  const message = `The disk of this server lacks ${needed - diskBytes} bytes for these files`;
  throw new AppError('insufficientStorage', message, { code: 'storage_full' });
}
