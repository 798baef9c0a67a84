/** The decoded JSON of an answer, or of what a tool prints: the test that asked for it asserts what is in it. */
// oxlint-disable-next-line no-explicit-any -- its type would only repeat what the test asserts
export type Json = any;
