import 'reflect-metadata';
export { readBookingConfig } from './booking-config.js';
export type { BookingConfig } from './booking-config.js';
export { startBooking } from './start-booking.js';
export type { StartBookingOptions } from './start-booking.js';
