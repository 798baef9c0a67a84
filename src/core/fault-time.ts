let faultAt = -Infinity;

/** Notes that a request has just met a fault of the machine: what was proven before has to be proven again. */
export const noteFault = (): void => void (faultAt = performance.now());

/** Returns when the last request met a fault of the machine, in ms of `performance.now()`. */
export const getFaultTime = (): number => faultAt;
