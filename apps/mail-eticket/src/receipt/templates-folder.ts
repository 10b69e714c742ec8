/** `apps/mail-eticket/templates/`: two folders up both from `src/receipt` and from `dist/receipt`. */
export const TEMPLATES = new URL('../../templates/', import.meta.url);
