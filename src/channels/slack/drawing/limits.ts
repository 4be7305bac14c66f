/** The limits of Block Kit that drawing keeps, as Slack's reference names them. Lengths are in characters of the escaped text. */

export const limits = {
  /** The text of a section. */
  section: 3_000,
  /** The fields of a section, and the text of each. */
  fields: 10,
  field: 2_000,
  /** The text of a button or of an option. */
  label: 75,
  /** The heading and the buttons of a modal. */
  heading: 24,
  /** What stands in a list from which nothing is picked yet. */
  placeholder: 150,
  /** The options of radio buttons and checkboxes, and those of a select. */
  boxes: 10,
  options: 100,
  /** The elements of a row of buttons. */
  row: 25,
  /** The text for notifications. Slack takes more and recommends less. */
  notification: 3_000,
  /** A message without blocks. */
  text: 39_000,
  /** A line below a question. Slack takes more. */
  note: 1_000,
  /** What may be typed into a modal. */
  input: 3_000,
  /** An address that a button opens. */
  url: 3_000,
} as const;

/** So many characters all blocks of a message may show. Slack refuses longer messages and names no number; this is well below. */
export const shownInFull = 11_000;

/**
 * So many characters a question may have, with its details and options, to be answered on Slack. What is said before it when it is asked
 * again must fit as well.
 */
export const longestQuestion = 8_000;

/** Up to so many options are buttons. More are a list and a button that sends. */
export const mostButtons = 5;
