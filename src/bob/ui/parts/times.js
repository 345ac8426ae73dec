// Days and moments, written one way on every page.

const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

const IN_YEAR = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });

/** A day under its year: "3 Jun". */
export const inYear = (iso) => IN_YEAR.format(new Date(`${iso}T00:00:00Z`));

/** When something happened, for a person: "today, 14:02" or "3 Jun 2025, 14:02". */
export function moment(iso) {
  const at = new Date(iso);
  return at.toDateString() === new Date().toDateString() ? `today, ${TIME.format(at)}` : MOMENT.format(at);
}

/** The day of a date or a moment, as sources write it: "2025-06-03". */
export const day = (iso) => iso?.slice(0, 10) ?? "";
