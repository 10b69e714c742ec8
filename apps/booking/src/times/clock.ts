import { Injectable } from '@nestjs/common';

/** The time of day as the service sees it; specs put another in its place. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }
}
