/** Native files: native/build.ts embeds them compressed. */
declare module '*.node' {
  const file: import('./unpack.ts').EmbeddedFile;
  export default file;
}
declare module '*.so' {
  const file: import('./unpack.ts').EmbeddedFile;
  export default file;
}
declare module '*/launch.linux-x64' {
  const file: import('./unpack.ts').EmbeddedFile;
  export default file;
}
declare module '*/launch.linux-arm64' {
  const file: import('./unpack.ts').EmbeddedFile;
  export default file;
}
declare module '*.so.1' {
  const file: import('./unpack.ts').EmbeddedFile;
  export default file;
}
declare module '*.so.8.18.7' {
  const file: import('./unpack.ts').EmbeddedFile;
  export default file;
}
/** The files of the target that is built: native/files.linux-*.ts. */
declare module '#native-files' {
  export const nativeFiles: import('./load.ts').NativeFiles;
}
/** The page and the API documentation, built and embedded by native/build.ts. */
declare module '#web-files' {
  export const webFiles: readonly import('./web-files.ts').EmbeddedWebFile[];
}
/** ExifTool, embedded by native/build.ts. */
declare module '#exiftool' {
  export const exifTool: import('./exiftool-archive.ts').ExifToolFiles;
  /** The contents of its files, compressed with zstd. */
  export const archive: string;
}
