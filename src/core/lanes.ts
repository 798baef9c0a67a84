/** One lane is one worker thread (workers/<lane>.ts): heavy work cannot starve light work. */
export const LANES = ['background', 'metadata', 'image', 'video', 'inference'] as const;
export type Lane = (typeof LANES)[number];
