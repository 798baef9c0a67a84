import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, invalidField, notFound, tooLarge, unauthorized } from '../../core/errors.ts';
import { inTransaction } from '../../db/transaction.ts';
import { MediaError } from '../../media/errors.ts';
import { renderProfile } from '../../media/profile.ts';
import { type Form, readForm } from '../../multipart/multipart.ts';
import * as store from './store.ts';
import * as storage from '../../storage/index.ts';

const MAX_BYTES = 20 * 1024 ** 2;

export async function saveProfileImage(ctx: Ctx, form: Form) {
  const { userId } = requireUser(ctx.session);
  const folder = await storage.makePictureDraft(ctx.paths);
  try {
    const given = join(folder, 'given');
    await receive(form, given);
    const rendered = join(folder, 'profile.webp');
    await render(given, rendered);
    const name = await storage.putPicture(ctx, rendered, userId);
    const now = ctx.now();
    await replaceImage(ctx, userId, { profileImage: name, profileChangedAt: now });
    return { userId, profileImagePath: name, profileChangedAt: now.toISOString() };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function deleteProfileImage(ctx: Ctx): Promise<void> {
  const { userId } = requireUser(ctx.session);
  const old = await replaceImage(ctx, userId, {
    profileImage: null,
    profileChangedAt: ctx.now(),
  });
  if (!old) throw badRequest('There is no profile image');
}

/** Returns the profile image of any active account. Throws 404 without one. */
export async function getProfileImage(ctx: Ctx, userId: string) {
  const user = await store.findUser(ctx.db, userId);
  const picture = user?.profileImage && storage.profilePicture(ctx.paths, user.profileImage);
  const path = picture && (await storage.locate(ctx, picture));
  const size = path ? (await stat(path).catch(() => undefined))?.size : undefined;
  if (!path || size === undefined) throw notFound('Profile image');
  return {
    path,
    size,
    type: 'image/webp',
    // File names are unique per image, so the URL may be cached.
    etag: `"${user.profileImage}"`,
    cacheControl: 'private, no-cache',
  };
}

/** Deletes the old file after the commit that removes the reference to it. */
async function replaceImage(ctx: Ctx, userId: string, change: store.UserChange) {
  const old = await inTransaction(ctx, async ({ db, now }) => {
    const user = await store.lockUser(db, userId);
    if (!user) throw unauthorized();
    await store.saveUser(db, userId, { ...change, updatedAt: now() });
    return user.profileImage;
  });
  if (old) await storage.remove([storage.profilePicture(ctx.paths, old)]);
  return old;
}

async function receive(form: Form, path: string): Promise<void> {
  let bytes = 0;
  let found = false;
  const file = createWriteStream(path, { flags: 'wx' });
  const write = (chunk: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      file.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  try {
    await readForm(form, async (field) => {
      if (field !== 'file' || found) return undefined;
      found = true;
      return {
        write(chunk) {
          bytes += chunk.length;
          if (bytes > MAX_BYTES) throw tooLarge('The picture is too large');
          return write(chunk);
        },
      };
    });
  } finally {
    await new Promise<void>((resolve) => file.end(resolve));
  }
  if (!found) throw invalidField('file', 'Required');
}

async function render(from: string, to: string): Promise<void> {
  try {
    await renderProfile(from, to);
  } catch (error) {
    if (error instanceof MediaError) throw badRequest('The file is no picture that can be shown');
    throw error;
  }
}
