export { readCommandLine, UsageError } from './command-line.js';
export type { CommandLine } from './command-line.js';
export { daysAfter, sampleBookings } from './sample-bookings.js';
export type { SampleBooking, SamplePassenger } from './sample-bookings.js';
export { readStandaloneConfig } from './standalone-config.js';
export type { StandaloneConfig } from './standalone-config.js';
export { startStandalone } from './start-standalone.js';
export type { RunningStandalone } from './start-standalone.js';
