/** Injection token of the operations module's options. */
export const OPERATIONS_OPTIONS = Symbol('operations options');
