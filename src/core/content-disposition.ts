export type Disposition = {
  readonly kind: 'inline' | 'attachment';
  /** May contain any characters. */
  readonly fileName: string;
};

/** Returns Content-Disposition (RFC 6266) with an ASCII name and, if needed, the one of RFC 8187. */
export function formatContentDisposition({ kind, fileName }: Disposition): string {
  const name = fileName.toWellFormed();
  const plain = name.replaceAll(/[^\u0020-\u007E]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const extended = plain === name ? '' : `; filename*=UTF-8''${encoded}`;
  return `${kind}; filename="${plain}"${extended}`;
}
