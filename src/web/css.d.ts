declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>;
  export default classes;
}
declare module '*.css';
/** Rendered by native/documents.ts. */
declare module '*.md' {
  const document: { readonly title: string; readonly html: string };
  export default document;
}
/** Its types are those of the whole package. */
declare module 'hls.js/light' {
  export { default } from 'hls.js';
}
