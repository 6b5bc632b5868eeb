/** A position of a contract as rows bring it and inputs hold it. */
type PlaceLine = Readonly<Record<string, unknown>>;

/** Positions of a contract that are not over on a day, as the dialog of a change holds them. */
export function placesOn(positions: unknown, day: string): readonly PlaceLine[] {
  return (Array.isArray(positions) ? (positions as readonly PlaceLine[]) : [])
    .filter((one) => String(one.toOn) >= day)
    .map((one) => ({
      place: one.place,
      fromOn: String(one.fromOn) > day ? one.fromOn : undefined,
      toOn: one.toOn,
      price: one.price,
    }));
}
