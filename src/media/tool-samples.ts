import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { StorageUnavailable } from '../core/errors.ts';

// Tiny files that are known to be good, one for each kind of tool: see tool-proof.ts.

export const SAMPLE_MAKE = 'Safelight';

const SAMPLES = {
  /** A JPEG with EXIF: Make is SAMPLE_MAKE. */
  photo: {
    extension: 'jpg',
    base64:
      '/9j/4AAQSkZJRgABAgAAAQABAAD/4QDORXhpZgAATU0AKgAAAAgABgEPAAIAAAAKAAAAVgEaAAUAAAABAAAAYAEbAAUA' +
      'AAABAAAAaAEoAAMAAAABAAEAAAITAAMAAAABAAEAAIdpAAQAAAABAAAAcAAAAABTYWZlbGlnaHQAAAAAAQAAAAEAAAAB' +
      'AAAAAQAFkAAABwAAAAQwMjMykAMAAgAAABQAAACykQEABwAAAAQBAgMAoAAABwAAAAQwMTAwoAEAAwAAAAH//wAAAAAA' +
      'ADIwMjA6MDE6MDEgMDA6MDA6MDAA//4AEExhdmM1OS4zNy4xMDAA/9sAQwAIFBQXFBcbGxsbGxsgHiAhISEgICAgISEh' +
      'JCQkKioqJCQkISEkJCgoKiouLy4rKyorLy8yMjI8PDk5RkZIVlZn/8QAcQABAQAAAAAAAAAAAAAAAAAABQYBAQADAQAA' +
      'AAAAAAAAAAAAAAYCAwEEEAACAgEEAwADAQAAAAAAAAACAREDBDEAIRITBSJRQWEyEQACAQIGAgIDAQEAAAAAAAACAQME' +
      'EUEAMSETElEiBWEkkoGxFP/AABEIABAAEAMBEgACEgADEgD/2gAMAwEAAhEDEQA/AJnxnhYFRCbEzFWdgJrg4IUnw18l' +
      'z/Z3Q2DTlYVC89Y9K6625F/5ERl/Sieum1NDR08xdpIwkbwNIl+r2wW9r5OUPyUoTcQ0hn9pvTzZRvbfOxyucapGh/EG' +
      'IYXbceYu0jv5KyV8ErLV356kSoP+noLqFU8bTFNIVC7Nq3fsrtJ6WbWVcvKXq8gDrARrRLuAiPIvqnCXXmCbXKU67E9l' +
      'XdnWnWqrBjRoSKdP1C/GxlDVVEytJLJJfXuTPS+JXa/mUlL8dBDFyBVxzW1EUP34kL/M3xRBKdYR3J03Dw+xdY+VWPqN' +
      '+vtjtmfx0kcrqRlMYDqOL0NpEPGr6Pq3db4Wz//Z',
  },
  heic: {
    extension: 'heic',
    base64:
      'AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAUJtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAA' +
      'AAAAAAAAAA5waXRtAAAAAAABAAAAImlsb2MAAAAAREAAAQABAAAAAAFmAAEAAAAAAAAAGQAAACNpaW5mAAAAAAABAAAA' +
      'FWluZmUCAAAAAAEAAGh2YzEAAAAAwmlwcnAAAACkaXBjbwAAAHhodmNDAQNwAAAAAAAAAAAAHvAA/P34+AAADwMgAAEA' +
      'GEABDAH//wNwAAADAJAAAAMAAAMAHroCQCEAAQArQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbqSSmubgQEDAgAAAMACAAA' +
      'AwAIQCIAAQAHRAHBcrAiQAAAABRpc3BlAAAAAAAAAEAAAABAAAAAEHBpeGkAAAAAAwgICAAAABZpcG1hAAAAAAAAAAEA' +
      'AQOBAoMAAAAhbWRhdAAAABUoAa8EGPx5OOv/+llP31AXbAxHQ4A=',
  },
  /** An uncompressed DNG, gzipped: it is nothing but equal pixels. */
  raw: {
    extension: 'dng',
    base64:
      'H4sIAAAAAAAAA+3NMQqDQBCF4X9mReyMAbUV0uUUth5DvUiw10NZ5FhBZp1i75B9sPAx8N5O05sKqPlRIHjk9mBMrBKi' +
      'rRHc9kr36wO1KAUwLyuPxI3vnECbdLtkv3dbad8Can+iHJvEHUT0+b0t8QBjTk7O+K+5ANq+s3LCBAAA',
  },
  /** A frame of H.264. */
  clip: {
    extension: 'mp4',
    base64:
      'AAAAIGZ0eXBpc29tAAACAGlzb21pc28yYXZjMW1wNDEAAAAIZnJlZQAAAL5tZGF0AAAAsmWIhABnwqEaXAIALKQxrZU1' +
      'aNsdNXB7oFlNcc9HyWZDTD/elizcc7VTrFkZz+0rMj+veesjMypMnCe/0pHVshzQCeTBeGJjNa3wp5wWk68BdCL5i1k8' +
      '3hb36rU3yiYjgxgWmQYP75FEzfKBUFxyMGpK5nPdaNb3ECS3ql/3Dm1w0pYPmnORrebs0IV0+H0xbshYE4+lW8Nxsf8j' +
      'KOANxgZ/Wvj5grT9UWAE/AI98LXpgA8AAAMVbW9vdgAAAGxtdmhkAAAAAAAAAAAAAAAAAAAD6AAAAMgAAQAAAQAAAAAA' +
      'AAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' +
      'AgAAAj90cmFrAAAAXHRraGQAAAADAAAAAAAAAAAAAAABAAAAAAAAAMgAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAA' +
      'AAAAAAABAAAAAAAAAAAAAAAAAABAAAAAABAAAAAQAAAAAAAkZWR0cwAAABxlbHN0AAAAAAAAAAEAAADIAAAAAAABAAAA' +
      'AAG3bWRpYQAAACBtZGhkAAAAAAAAAAAAAAAAAAAoAAAACABVxAAAAAAALWhkbHIAAAAAAAAAAHZpZGUAAAAAAAAAAAAA' +
      'AABWaWRlb0hhbmRsZXIAAAABYm1pbmYAAAAUdm1oZAAAAAEAAAAAAAAAAAAAACRkaW5mAAAAHGRyZWYAAAAAAAAAAQAA' +
      'AAx1cmwgAAAAAQAAASJzdGJsAAAAvnN0c2QAAAAAAAAAAQAAAK5hdmMxAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAABAA' +
      'EABIAAAASAAAAAAAAAABFUxhdmM1OS4zNy4xMDAgbGlieDI2NAAAAAAAAAAAAAAAGP//AAAANGF2Y0MBZAAK/+EAF2dk' +
      'AAqs2V7ARAAAAwAEAAADACg8SJZYAQAGaOvjyyLA/fj4AAAAABBwYXNwAAAAAQAAAAEAAAAUYnRydAAAAAAAABxwAAAc' +
      'cAAAABhzdHRzAAAAAAAAAAEAAAABAAAIAAAAABxzdHNjAAAAAAAAAAEAAAABAAAAAQAAAAEAAAAUc3RzegAAAAAAAAC2' +
      'AAAAAQAAABRzdGNvAAAAAAAAAAEAAAAwAAAAYnVkdGEAAABabWV0YQAAAAAAAAAhaGRscgAAAAAAAAAAbWRpcmFwcGwA' +
      'AAAAAAAAAAAAAAAtaWxzdAAAACWpdG9vAAAAHWRhdGEAAAABAAAAAExhdmY1OS4yNy4xMDA=',
  },
} as const;

export type SampleName = keyof typeof SAMPLES;

let parent = tmpdir();

/** Sets the folder that samples are written to: the media host sees it, too. */
export function setSampleFolder(folder: string): void {
  parent = folder;
}

/** Does something with a sample in a folder of its own. Throws StorageUnavailable where none can be written. */
export async function withSample<T>(
  name: SampleName,
  work: (path: string, folder: string) => Promise<T>,
  inside: string = parent,
): Promise<T> {
  const { path, remove } = await keepSample(name, inside);
  try {
    return await work(path, dirname(path));
  } finally {
    await remove();
  }
}

export type KeptSample = { readonly path: string; readonly remove: () => Promise<void> };

/** Writes a sample to a folder of its own, which is there until it is removed. Throws StorageUnavailable. */
export async function keepSample(name: SampleName, inside: string = parent): Promise<KeptSample> {
  const { extension, base64 } = SAMPLES[name];
  const bytes = Buffer.from(base64, 'base64');
  const path = await writeSample(inside, extension, name === 'raw' ? Bun.gunzipSync(bytes) : bytes);
  return { path, remove: () => rm(dirname(path), { recursive: true, force: true }) };
}

async function writeSample(inside: string, extension: string, bytes: Uint8Array): Promise<string> {
  try {
    // Not the folders above: below a disk that is away lies another one.
    await mkdir(inside).catch(() => {});
    const path = join(await mkdtemp(join(inside, 'sample-')), `sample.${extension}`);
    await Bun.write(path, bytes);
    return path;
  } catch (error) {
    throw new StorageUnavailable(`${inside} cannot be written`, { cause: error });
  }
}
