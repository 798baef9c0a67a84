import { dlopen, FFIType, ptr } from 'bun:ffi';
import { constants } from 'node:fs';
import { getSystemErrorName } from 'node:util';
import { openFile } from './guarded-path.ts';

// ioctl_fideduperange(2): the file system compares the bytes of two files under lock, and lets both refer to
// the same blocks. What the files contain does not change, nor do their times.

const FIDEDUPERANGE = 0xc018_9436;
/** The most that Btrfs takes at once. */
const MAX_RANGE_BYTES = 16 * 1024 ** 2;
const HEADER_BYTES = 24;
const RESULT_BYTES = 32;
const RANGE_DIFFERS = 1;

const { symbols: libc } = dlopen('libc.so.6', {
  ioctl: { args: [FFIType.i32, FFIType.u64, FFIType.ptr], returns: FFIType.i32 },
});

/** The blocks of the files cannot be shared; the files are as they were. */
export class CannotShareError extends Error {
  override readonly name = 'CannotShareError';
}

/**
 * Lets the file `to` refer to the blocks of the file `from`, which has the same content; `pace` is called after
 * each part. Throws CannotShareError with the reason.
 */
export async function shareBlocks(
  from: string,
  to: string,
  size: number,
  pace: (bytes: number) => Promise<void> = () => Bun.sleep(0),
): Promise<void> {
  const source = await openFile(from, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const target = await openForSharing(to);
    try {
      for (let offset = 0; offset < size;) {
        const length = Math.min(MAX_RANGE_BYTES, size - offset);
        const shared = shareRange(source.fd, target.fd, offset, length);
        offset += shared;
        await pace(shared);
      }
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

const openForSharing = (path: string) =>
  openFile(path, constants.O_RDWR | constants.O_NOFOLLOW).catch((error: NodeJS.ErrnoException) => {
    throw new CannotShareError(`The file is not writable (${error.code})`);
  });

/** Returns the bytes that were shared. */
function shareRange(source: number, target: number, offset: number, length: number): number {
  const request = Buffer.alloc(HEADER_BYTES + RESULT_BYTES);
  request.writeBigUInt64LE(BigInt(offset), 0);
  request.writeBigUInt64LE(BigInt(length), 8);
  request.writeUInt16LE(1, 16);
  request.writeBigInt64LE(BigInt(target), HEADER_BYTES);
  request.writeBigUInt64LE(BigInt(offset), HEADER_BYTES + 8);
  if (libc.ioctl(source, FIDEDUPERANGE, ptr(request)) !== 0) {
    throw new CannotShareError('The file system cannot share blocks');
  }
  const shared = Number(request.readBigUInt64LE(HEADER_BYTES + 16));
  const status = request.readInt32LE(HEADER_BYTES + 24);
  if (status === RANGE_DIFFERS) throw new CannotShareError('The files differ');
  if (status < 0) throw new CannotShareError(describeShareError(getSystemErrorName(status)));
  if (shared === 0) throw new CannotShareError('The file system has shared no blocks');
  return shared;
}

function describeShareError(code: string): string {
  if (code === 'EXDEV') return 'The files are in different file systems';
  if (code === 'EINVAL' || code === 'EOPNOTSUPP' || code === 'ENOTSUP') {
    return 'The file system cannot share blocks';
  }
  return `The file system refuses to share blocks (${code})`;
}
