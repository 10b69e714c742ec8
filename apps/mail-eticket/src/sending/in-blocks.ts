import { pipeline, Transform } from 'node:stream';
import type { Readable, TransformCallback } from 'node:stream';

/** As much as a socket takes at once without being asked to wait. */
const BLOCK_BYTES = 16 * 1024;

class InBlocks extends Transform {
  #pieces: Buffer[] = [];
  #bytes = 0;

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes >= BLOCK_BYTES) this.#pushBlock();
    done();
  }

  override _flush(done: TransformCallback): void {
    if (this.#bytes > 0) this.#pushBlock();
    done();
  }

  #pushBlock(): void {
    this.push(Buffer.concat(this.#pieces, this.#bytes));
    this.#pieces = [];
    this.#bytes = 0;
  }
}

/**
 * Joins the many small pieces that a MIME message is made in into few larger ones: each would cost the connection a write
 * of its own, and the relay a read.
 */
export function inBlocks(message: Readable): Readable {
  // What ends the one before its time ends the other; who reads hears of it.
  return pipeline(message, new InBlocks(), () => undefined);
}
