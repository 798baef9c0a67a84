/** Model id of vectors made from labels, objects and sentences: see run/conse.ts. */
export const CONSE = 'conse-1';
