/** Hours of a weekday as forms hold them: 09:00 to 18:00. */
export interface Hours {
  readonly weekday: string;
  readonly from: string;
  readonly to: string;
}

/** Minutes of the day of 09:30; 24:00 is 1440. */
export function minuteOf(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return hours * 60 + minutes;
}

/** 09:30 of the minutes of a day. */
export function clockText(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
}
