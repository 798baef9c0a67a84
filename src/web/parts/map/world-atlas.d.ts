// Fetched when a map is shown, not bundled: the import gives the address.
declare module 'world-atlas/countries-50m.json' {
  const url: string;
  export default url;
}
declare module 'world-atlas/countries-10m.json' {
  const url: string;
  export default url;
}
