/** Control characters, and the direction marks with which `exe.fdp` passes for `pdf.exe`. */
const INVISIBLE = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const MAX_NAME_LENGTH = 150;

/** A `Content-Disposition` (RFC 6266) that makes any browser save the file, under a harmless form of `filename`. */
export function attachmentDisposition(filename: string): string {
  const name =
    filename
      .replace(INVISIBLE, '')
      .replace(/[\\/:*?"<>|]/g, '_')
      .replace(/\p{Surrogate}/gu, '\ufffd')
      .replace(/^[.\s]+/, '')
      .slice(-MAX_NAME_LENGTH)
      .replace(/^\p{Surrogate}/u, '') || 'attachment';
  const ascii = name.replace(/[^ -~]/g, '_').replace(/%/g, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
