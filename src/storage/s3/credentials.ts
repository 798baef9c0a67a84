import { readFile } from 'node:fs/promises';
import { StorageUnavailable } from '../../core/errors.ts';

export type S3Credentials = { readonly accessKeyId: string; readonly secretAccessKey: string };

/** Reads the first key pair of a file as the command line of AWS has it. Throws StorageUnavailable, which names no secret. */
export async function readCredentials(path: string): Promise<S3Credentials> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new StorageUnavailable(`The credentials of the object store cannot be read: ${path}`, {
      cause: error,
    });
  }
  const find = (name: string) =>
    new RegExp(`^\\s*${name}\\s*=\\s*(\\S+)\\s*$`, 'm').exec(text)?.[1];
  const accessKeyId = find('aws_access_key_id');
  const secretAccessKey = find('aws_secret_access_key');
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    return { accessKeyId, secretAccessKey };
  }
  throw new StorageUnavailable(
    `${path} must have lines "aws_access_key_id = …" and "aws_secret_access_key = …"`,
  );
}
