/** What the demonstration reads of the booking service's answers. */
export interface BookedTrip {
  readonly id: string;
  readonly reference: string;
  readonly accessToken: string;
  readonly status: string;
  readonly total: { readonly amount: string; readonly currency: string };
  readonly passengers: readonly {
    readonly givenName: string;
    readonly familyName: string;
    readonly ticketNumber: string;
  }[];
  readonly segments: readonly BookedSegment[];
}

export interface BookedSegment {
  readonly marketingCarrier: { readonly iataCode: string };
  readonly flightNumber: string;
  readonly origin: { readonly iataCode: string };
  readonly destination: { readonly iataCode: string };
  /** Local time with offset. */
  readonly departingAt: string;
  readonly arrivingAt: string;
}
