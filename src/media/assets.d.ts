declare module '*.pbf' {
  const path: string;
  export default path;
}
