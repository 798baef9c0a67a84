declare module '*/place-names.bin' {
  const path: string;
  export default path;
}
